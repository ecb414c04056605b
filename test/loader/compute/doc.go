// Package compute holds nothing but a test: a program that computes with many recorded commands on a real driver.
package compute
