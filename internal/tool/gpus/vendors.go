package gpus

import "strings"

// vendors are makers by the number that they have on the PCI bus, or of VkVendorId; of several with one name the first
// is the one that is usual.
var vendors = []struct {
	id   uint32
	name string
}{
	{0x1002, "AMD"}, {0x1022, "AMD"}, {0x8086, "Intel"}, {0x10de, "NVIDIA"}, {0x13b5, "Arm"}, {0x5143, "Qualcomm"},
	{0x1010, "Imagination"}, {0x14e4, "Broadcom"}, {0x106b, "Apple"}, {0x144d, "Samsung"}, {0x19e5, "Huawei"},
	{0x1ed5, "MooreThreads"}, {0x1414, "Microsoft"}, {0x1af4, "virtio"}, {0x1a03, "ASPEED"}, {0x102b, "Matrox"},
	{0x1234, "QEMU"}, {0x1013, "Cirrus"}, {0x1b36, "Red Hat"}, {0x15ad, "VMware"}, {0x80ee, "VirtualBox"}, {0x10005, "Mesa"},
}

// VendorName is a maker's name, "" for one that is not known.
func VendorName(id uint32) string {
	for _, v := range vendors {
		if v.id == id {
			return v.name
		}
	}
	return ""
}

// vendorIDs are the numbers of a maker.
func vendorIDs(name string) (ids []uint32) {
	for _, v := range vendors {
		if strings.EqualFold(v.name, name) {
			ids = append(ids, v.id)
		}
	}
	return ids
}
