package explain

// SilentSettings are settings that say nothing.
const SilentSettings = `{"file_format_version": "1.0.0", "settings_array": []}`
