package settingsplace

// Silent are settings that say nothing.
const Silent = `{"file_format_version": "1.0.0", "settings_array": []}`
