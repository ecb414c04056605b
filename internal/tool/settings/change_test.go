package settings

import "testing"

// Each choice of a layer has one word of --layer, and the word gives the choice again. The name of a layer may contain "=", and be
// the word for the place of all other layers.
func TestLayerChoices(t *testing.T) {
	for _, c := range []struct {
		choice LayerChoice
		word   string
	}{
		{LayerChoice{}, "others"},
		{LayerChoice{"VK_LAYER_a", "off"}, "VK_LAYER_a=off"},
		{LayerChoice{"VK_LAYER_a=b", "auto"}, "VK_LAYER_a=b=auto"},
		{LayerChoice{"others", "on"}, "others=on"},
	} {
		if word := c.choice.String(); word != c.word {
			t.Errorf("%v: %q, want %q", c.choice, word, c.word)
		}
		choice := LayerChoice{}
		if err := choice.UnmarshalText([]byte(c.word)); err != nil || choice != c.choice {
			t.Errorf("%q: %v, %v, want %v", c.word, choice, err, c.choice)
		}
	}
	choice := LayerChoice{}
	if err := choice.UnmarshalText([]byte("VK_LAYER_a")); err != nil || choice != (LayerChoice{"VK_LAYER_a", "on"}) {
		t.Errorf("without a control: %v, %v", choice, err)
	}
	for _, word := range []string{"VK_LAYER_a=", "VK_LAYER_a=none", "="} {
		if err := choice.UnmarshalText([]byte(word)); err == nil {
			t.Errorf("%q: %v", word, choice)
		}
	}
}
