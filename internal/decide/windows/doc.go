// Package pc asks a running Windows for the facts that only Windows has, and that the library's decision or the doctor
// wants: keys of the registry, display adapters, the tree of devices, app packages, DXGI, what a process may do, which
// libraries processes have loaded, versions of files. docs/platforms.md says of each fact what is expected.
//
// It asks as vulkan-1.dll does, decides nothing, and changes nothing but what Register, Unregister and Running are for. On other
// systems it only writes files for the registry editor.
package windows
