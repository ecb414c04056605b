package binary

import (
	"bytes"
	"cmp"
	"crypto"
	_ "crypto/sha1" // for old signatures
	_ "crypto/sha256"
	_ "crypto/sha512"
	"crypto/x509"
	"crypto/x509/pkix"
	"debug/pe"
	"encoding/asn1"
	"encoding/binary"
	"io"
	"math/big"
)

// Bounds of a damaged or hostile file.
const (
	peSignatureMost = 1 << 20
	peSignedMost    = 1 << 28
)

// The parts of PKCS #7 (RFC 2315) and of Authenticode that are read.
type (
	contentInfo struct {
		Type    asn1.ObjectIdentifier
		Content asn1.RawValue `asn1:"explicit,tag:0"`
	}
	signedData struct {
		Version      int
		Algorithms   []pkix.AlgorithmIdentifier `asn1:"set"`
		Content      contentInfo
		Certificates asn1.RawValue  `asn1:"optional,tag:0"`
		Lists        asn1.RawValue  `asn1:"optional,tag:1"`
		Signers      []signatureOne `asn1:"set"`
	}
	signatureOne struct {
		Version int
		Of      struct {
			Issuer asn1.RawValue
			Serial *big.Int
		}
		Rest asn1.RawValue
	}
	indirectData struct {
		What   asn1.RawValue
		Digest struct {
			Algorithm pkix.AlgorithmIdentifier
			Digest    []byte
		}
	}
)

// digestOf returns the algorithm of a digest of Authenticode; 0: another one.
func digestOf(id string) crypto.Hash {
	return map[string]crypto.Hash{"1.3.14.3.2.26": crypto.SHA1, "2.16.840.1.101.3.4.2.1": crypto.SHA256,
		"2.16.840.1.101.3.4.2.2": crypto.SHA384, "2.16.840.1.101.3.4.2.3": crypto.SHA512}[id]
}

// peSigner returns the name in the certificate of a signed file, "" for an unsigned one, and whether the file was
// changed after it was signed. It does not verify the certificate: for that it would need the roots that a system
// trusts.
func peSigner(r io.ReaderAt, where pe.DataDirectory, class int) (name string, changed bool) {
	const header = 8 // length, revision, kind
	if where.VirtualAddress == 0 || where.Size <= header || where.Size > peSignatureMost {
		return "", false
	}
	table := make([]byte, where.Size)
	// only this directory's address is an offset in the file
	if _, err := r.ReadAt(table, int64(where.VirtualAddress)); err != nil {
		return "", false
	}
	var outer contentInfo
	if _, err := asn1.Unmarshal(table[header:], &outer); err != nil {
		return "", false
	}
	var signed signedData
	if _, err := asn1.Unmarshal(outer.Content.Bytes, &signed); err != nil || len(signed.Signers) == 0 {
		return "", false
	}
	by := signed.Signers[0].Of
	for rest := signed.Certificates.Bytes; len(rest) > 0; {
		var one asn1.RawValue
		var err error
		if rest, err = asn1.Unmarshal(rest, &one); err != nil {
			return "", false
		}
		c, err := x509.ParseCertificate(one.FullBytes)
		if err == nil && c.SerialNumber.Cmp(by.Serial) == 0 && bytes.Equal(c.RawIssuer, by.Issuer.FullBytes) {
			name = cmp.Or(c.Subject.CommonName, c.Subject.String())
			break
		}
	}
	var content indirectData
	if _, err := asn1.Unmarshal(signed.Content.Content.Bytes, &content); err != nil {
		return name, false
	}
	digest := peDigest(r, where, class, digestOf(content.Digest.Algorithm.Algorithm.String()))
	return name, digest != nil && !bytes.Equal(digest, content.Digest.Digest)
}

// peDigest returns the digest of the signed bytes: the file without its checksum, the directory entry of the signature
// and the signature. nil: it cannot be computed.
func peDigest(r io.ReaderAt, where pe.DataDirectory, class int, kind crypto.Hash) []byte {
	var word [4]byte
	if _, err := r.ReadAt(word[:], 0x3c); err != nil || !kind.Available() || where.VirtualAddress > peSignedMost {
		return nil
	}
	optional := int64(binary.LittleEndian.Uint32(word[:])) + 24
	checksum, entry := optional+64, optional+96+8*pe.IMAGE_DIRECTORY_ENTRY_SECURITY
	if class == 64 {
		entry += 16
	}
	h := kind.New()
	for _, part := range [][2]int64{{0, checksum}, {checksum + 4, entry}, {entry + 8, int64(where.VirtualAddress)}} {
		if part[1] < part[0] {
			return nil
		}
		if n, err := io.Copy(h, io.NewSectionReader(r, part[0], part[1]-part[0])); err != nil || n != part[1]-part[0] {
			return nil
		}
	}
	return h.Sum(nil)
}
