// Package document reads JSON in the dialect that programs can see: manifests and the settings file are judged by it.
//
// It accepts and refuses exactly what FUZ-001 to FUZ-018 and LAY-11 to LAY-20 say, in one pass, without recursion, in
// time linear in the text. It never copies a text that needs no decoding, and knows nothing of what members mean.
package document
