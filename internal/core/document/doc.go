// Package document reads the JSON of manifests and settings files, in the dialect that the statements describe.
//
// It accepts and rejects exactly what FUZ-001 to FUZ-018 and LAY-11 to LAY-20 say. It reads the text in one pass,
// without recursion, in linear time. It copies only strings with escapes. It does not know what members mean.
package document
