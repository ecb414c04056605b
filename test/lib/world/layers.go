package world

// Variants of the fake layer, by their exports. Kind puts one in place of a layer's library.
const (
	Layer         = "layer"         // everything
	LayerOld      = "layer_old"     // exported GIPA and GDPA, no negotiation
	LayerOldGIPA  = "layer_oldgipa" // exported GIPA alone
	LayerNegOnly  = "layer_neg"     // negotiation alone
	LayerRenamed  = "layer_renamed" // only the names fakeNegotiate, fakeGetInstanceProcAddr, ...
	LayerNothing  = "layer_none"
	disablePrefix = "DISABLE_"
)

var layerExports = map[string]string{
	Layer: "-DFAKE_EXPORTS=15", LayerOld: "-DFAKE_EXPORTS=6", LayerOldGIPA: "-DFAKE_EXPORTS=2", LayerNegOnly: "-DFAKE_EXPORTS=1",
	LayerRenamed: "-DFAKE_EXPORTS=8", LayerNothing: "-DFAKE_EXPORTS=0",
}

// Kind replaces the fake's library with another variant.
func (f *Fake) Kind(kind string) *Fake {
	f.w.T.Helper()
	f.w.Copy(kind, f.Name)
	return f
}

// Disable returns the name of the variable that disables an implicit layer of w.ImplicitLayer.
func Disable(name string) string { return disablePrefix + name }
