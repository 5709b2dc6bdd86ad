import { X509Certificate } from "node:crypto"
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { connect, createServer } from "node:tls"
import { assert, describe, it } from "@effect/vitest"
import { make, type Tls } from "@wcs/node-server/Certificate"
import { Effect, Option } from "effect"
import { TestClock } from "effect/testing"
import { signedBy } from "./SignedBy.ts"

const selfSigned: Tls = { _tag: "SelfSigned" }

const certOf = (directory: string, tls: Tls = selfSigned, hosts: ReadonlyArray<string> = []) =>
  Effect.map(make(tls, directory, hosts), (made) => new X509Certificate(Option.getOrThrow(made).cert))

const refusal = (directory: string, tls: Tls = selfSigned) =>
  Effect.map(Effect.flip(make(tls, directory, [])), ({ message }) => message)

const temporaryDirectory = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "wcs-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

/** Whether a client that trusts one certificate accepts a server with another: "trusted", or the code of the error. */
const handshake = ({ cert, key }: { readonly cert: string; readonly key: string }, trusted: string) =>
  Effect.callback<string>((resume) => {
    const server = createServer({ cert, key }).listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo
      const client = connect({ port, host: "127.0.0.1", servername: "localhost", ca: trusted })
      const settle = (outcome: string) => {
        client.destroy()
        server.close()
        resume(Effect.succeed(outcome))
      }
      client.once("secureConnect", () => settle("trusted"))
      client.once("error", (error: NodeJS.ErrnoException) => settle(error.code ?? error.message))
    })
    server.on("tlsClientError", () => {}) // the client closes the connection
  })

describe("Certificate", () => {
  it.effect(
    "self-signed: names the hosts, is P-256, is valid for at most 398 days, and only its owner can read the key",
    () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(Date.parse("2026-03-01T00:00:00Z"))
        const data = yield* temporaryDirectory
        const cert = yield* certOf(data, selfSigned, ["acme.example", "10.1.2.3"])
        for (const host of ["localhost", "other.localhost", "acme.example"])
          assert.strictEqual(cert.checkHost(host), host)
        for (const address of ["127.0.0.1", "::1", "10.1.2.3"]) assert.strictEqual(cert.checkIP(address), address)
        assert.isUndefined(cert.checkHost("other.example"))
        assert.isTrue(cert.verify(cert.publicKey))
        assert.deepStrictEqual(cert.publicKey.asymmetricKeyDetails, { namedCurve: "prime256v1" })
        assert.strictEqual(cert.validFrom, "Feb 28 00:00:00 2026 GMT")
        assert.strictEqual(cert.validTo, "Apr  2 00:00:00 2027 GMT")
        for (const name of ["tls-key.pem", "tls-cert.pem"]) {
          assert.strictEqual(statSync(join(data, name)).mode & 0o777, 0o600)
        }
      })
  )

  it.effect("threat 48: self-signed: clients that trust it refuse another certificate that its key has signed", () =>
    Effect.gen(function* () {
      const data = yield* temporaryDirectory
      yield* TestClock.setTime(Date.now()) // OpenSSL has no other clock
      const made = Option.getOrThrow(yield* make(selfSigned, data, []))
      const forged = yield* Effect.promise(() => signedBy(made))
      assert.strictEqual(yield* handshake(made, made.cert), "trusted")
      assert.match(yield* handshake(forged, made.cert), /^INVALID_(?:CA|PURPOSE)$/)
    })
  )

  it.effect("self-signed: is kept while it is valid for the settings", () =>
    Effect.gen(function* () {
      const data = yield* temporaryDirectory
      const first = yield* certOf(data)
      yield* TestClock.adjust("366 days")
      assert.strictEqual((yield* certOf(data)).fingerprint256, first.fingerprint256)
    })
  )

  it.effect("self-signed: is renewed when it soon expires, the hosts change or its parts do not match", () =>
    Effect.gen(function* () {
      const data = yield* temporaryDirectory
      const seen = new Set<string>()
      const isNew = (cert: X509Certificate) => {
        const before = seen.size
        return seen.add(cert.fingerprint256).size > before
      }
      assert.isTrue(isNew(yield* certOf(data)))
      yield* TestClock.adjust("368 days")
      assert.isTrue(isNew(yield* certOf(data)))
      assert.isTrue(isNew(yield* certOf(data, selfSigned, ["acme.example"])))
      assert.isTrue(isNew(yield* certOf(data)))
      const other = yield* temporaryDirectory
      yield* certOf(other)
      writeFileSync(join(data, "tls-key.pem"), readFileSync(join(other, "tls-key.pem")))
      assert.isTrue(isNew(yield* certOf(data)))
      writeFileSync(join(data, "tls-cert.pem"), "no certificate")
      assert.isTrue(isNew(yield* certOf(data)))
      assert.isFalse(isNew(yield* certOf(data)))
    })
  )

  it.effect("self-signed: everybody can read the certificate, and only its owner the key", () =>
    Effect.gen(function* () {
      const data = yield* temporaryDirectory
      const { fingerprint256 } = yield* certOf(data)
      chmodSync(join(data, "tls-cert.pem"), 0o644)
      assert.strictEqual((yield* certOf(data)).fingerprint256, fingerprint256)
      chmodSync(join(data, "tls-key.pem"), 0o644)
      assert.match(yield* refusal(data), /can be read by other users of this machine \(mode 0644, .*; run chmod 600/)
    })
  )

  it.effect("writes dates beyond 2049 as RFC 5280 requires", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.parse("2049-12-31T12:00:00Z"))
      const cert = yield* certOf(yield* temporaryDirectory)
      assert.strictEqual(cert.validFrom, "Dec 30 12:00:00 2049 GMT")
      assert.strictEqual(cert.validTo, "Feb  1 12:00:00 2051 GMT")
    })
  )

  it.effect("files: are read, and refused in one sentence if they cannot be used", () =>
    Effect.gen(function* () {
      const [made, other, data] = [yield* temporaryDirectory, yield* temporaryDirectory, yield* temporaryDirectory]
      const first = yield* certOf(made)
      yield* certOf(other)
      const [certFile, keyFile] = [join(made, "tls-cert.pem"), join(made, "tls-key.pem")]
      const files = { _tag: "Files", certFile, keyFile } as const
      assert.strictEqual((yield* certOf(data, files)).fingerprint256, first.fingerprint256)
      for (const file of [certFile, keyFile]) writeFileSync(file, `\uFEFF${readFileSync(file, "utf8")}`)
      assert.strictEqual((yield* certOf(data, files)).fingerprint256, first.fingerprint256, "with byte-order marks")
      assert.match(
        yield* refusal(data, { ...files, certFile: "/nowhere" }),
        /^WCS_TLS_CERT_FILE must be the path of a PEM file: no such file or directory\.$/
      )
      assert.match(
        yield* refusal(data, { ...files, keyFile: "/nowhere" }),
        /^WCS_TLS_KEY_FILE must be the path of a PEM file: no such file or directory\.$/
      )
      assert.match(
        yield* refusal(data, { ...files, keyFile: join(other, "tls-key.pem") }),
        /^WCS_TLS_KEY_FILE must be the private key of the certificate in WCS_TLS_CERT_FILE\.$/
      )
      chmodSync(keyFile, 0o644)
      assert.match(
        yield* refusal(data, files),
        /can be read by other users of this machine \(mode 0644, .*; run chmod 600/
      )
      chmodSync(keyFile, 0o600)
      writeFileSync(keyFile, "no key")
      assert.match(yield* refusal(data, files), /must contain a PEM certificate and its unencrypted private key\.$/)
    })
  )

  it.effect("proxy: has no certificate", () =>
    Effect.gen(function* () {
      assert.isTrue(Option.isNone(yield* make({ _tag: "Proxy" }, yield* temporaryDirectory, [])))
    })
  )
})
