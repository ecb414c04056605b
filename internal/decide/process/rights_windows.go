package process

// keepsRights returns true: a file of Windows gives no rights.
func keepsRights(string) bool { return true }
