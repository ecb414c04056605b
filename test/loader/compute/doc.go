// Package compute tests a program that computes with many recorded commands on a real driver.
package compute
