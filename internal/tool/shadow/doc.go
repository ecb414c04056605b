// Package shadow gives children of the tool other settings than those in force, by an environment: no file of the user is
// touched. It knows of no setting but the one that decides where the loader's log goes.
package shadow
