package vk

import (
	"strings"
	"testing"
)

func TestResultNames(t *testing.T) {
	for r, want := range map[Result]string{
		Success: "VK_SUCCESS", Result(-9): "VK_ERROR_INCOMPATIBLE_DRIVER",
		ErrorSurfaceLostKHR: "VK_ERROR_SURFACE_LOST_KHR", Incomplete: "VK_INCOMPLETE", Result(12345): "VkResult 12345",
	} {
		if r.String() != want {
			t.Errorf("%d: %s, want %s", int32(r), r, want)
		}
	}
}

func TestVersion(t *testing.T) {
	if !strings.HasPrefix(HeaderVersion, "1.") || HeaderVersionComplete>>22 != 1 {
		t.Errorf("%s, %#x", HeaderVersion, HeaderVersionComplete)
	}
}
