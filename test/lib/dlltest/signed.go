package dlltest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/binary"
	"math/big"
	"testing"
)

// Signed returns a library with an Authenticode signature by a certificate in this name. The
// signature's own bytes, which need a key, are missing.
func Signed(t *testing.T, file []byte, class int, name string) []byte {
	t.Helper()
	for len(file)%8 != 0 {
		file = append(file, 0)
	}
	optional := int(binary.LittleEndian.Uint32(file[0x3c:])) + 24
	entry := optional + 96 + 8*4
	if class == 64 {
		entry += 16
	}
	h := sha256.New()
	for _, part := range [][]byte{file[:optional+64], file[optional+68 : entry], file[entry+8:]} {
		h.Write(part)
	}
	raw := func(bytes []byte, err error) asn1.RawValue {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return asn1.RawValue{FullBytes: bytes}
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(77), Subject: pkix.Name{CommonName: name}}
	certificate, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := x509.ParseCertificate(certificate)
	if err != nil {
		t.Fatal(err)
	}
	algorithm := pkix.AlgorithmIdentifier{Algorithm: asn1.ObjectIdentifier{2, 16, 840, 1, 101, 3, 4, 2, 1}}
	digest := raw(asn1.Marshal(struct {
		What   []int
		Digest struct {
			Algorithm pkix.AlgorithmIdentifier
			Digest    []byte
		}
	}{nil, struct {
		Algorithm pkix.AlgorithmIdentifier
		Digest    []byte
	}{algorithm, h.Sum(nil)}}))
	within := func(tag int, content []byte) asn1.RawValue {
		return asn1.RawValue{Class: asn1.ClassContextSpecific, Tag: tag, IsCompound: true, Bytes: content}
	}
	type content struct {
		Type    asn1.ObjectIdentifier
		Content asn1.RawValue
	}
	type signer struct {
		Version int
		Of      struct {
			Issuer asn1.RawValue
			Serial *big.Int
		}
		Algorithm pkix.AlgorithmIdentifier
	}
	by := signer{Version: 1, Algorithm: algorithm}
	by.Of.Issuer, by.Of.Serial = asn1.RawValue{FullBytes: parsed.RawIssuer}, parsed.SerialNumber
	inner := raw(asn1.Marshal(struct {
		Version      int
		Algorithms   []pkix.AlgorithmIdentifier `asn1:"set"`
		Content      content
		Certificates asn1.RawValue
		Signers      []signer `asn1:"set"`
	}{1, []pkix.AlgorithmIdentifier{algorithm}, content{asn1.ObjectIdentifier{1, 3, 6, 1, 4, 1, 311, 2, 1, 4}, within(0, digest.FullBytes)},
		within(0, certificate), []signer{by}}))
	whole := raw(asn1.Marshal(content{asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 7, 2}, within(0, inner.FullBytes)})).FullBytes
	table := binary.LittleEndian.AppendUint32(nil, uint32(8+len(whole)))
	table = append(append(table, 0, 2, 2, 0), whole...)
	binary.LittleEndian.PutUint32(file[entry:], uint32(len(file)))
	binary.LittleEndian.PutUint32(file[entry+4:], uint32(len(table)))
	return append(file, table...)
}
