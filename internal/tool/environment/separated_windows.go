package environment

// separated is how lists of paths and names are written here (WIN-013).
const separated = "semicolon-separated"
