package environment

// separated is how lists of paths and names are written here.
const separated = "colon-separated"
