// Package windows asks a running Windows for the facts that only Windows has, and that the library's decision or the
// doctor needs: keys of the registry, display adapters, the tree of devices, app packages, DXGI, the rights of a
// process, the libraries that processes have loaded, versions of files. docs/platforms.md lists the expected answers.
//
// It asks as vulkan-1.dll does, and decides nothing. Only Register, Unregister and the methods of Running change the
// registry. On other systems, the package only has the forms of registry values and writes files for the registry
// editor.
package windows
