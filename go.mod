module vkloader

go 1.26
