package environment

// separated describes the separator of path lists on Windows (WIN-013).
const separated = "semicolon-separated"
