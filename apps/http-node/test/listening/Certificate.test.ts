import { X509Certificate } from "node:crypto"
import { chmodSync, readFileSync, writeFileSync } from "node:fs"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { connect, createServer } from "node:tls"
import { assert, describe, it } from "@effect/vitest"
import { make } from "@wcs/http-node/listening/Certificate"
import * as Settings from "@wcs/http-node/Settings"
import * as DataDirectory from "@wcs/http-node/stores/DataDirectory"
import { ConfigProvider, Effect, Layer, Option } from "effect"
import { SecureRandom } from "effect/crypto"
import { TestClock } from "effect/testing"
import { modeOf, temporaryDirectory } from "../Temporary.ts"
import { signedBy } from "./SignedBy.ts"

const certificate = (environment: Readonly<Record<string, string>>) =>
  Effect.provide(
    make,
    DataDirectory.layer.pipe(
      Layer.provide(SecureRandom.layerWebCrypto),
      Layer.provideMerge(Settings.layer),
      Layer.provide(ConfigProvider.layer(ConfigProvider.fromUnknown(environment)))
    ),
    { local: true }
  )

const certOf = (environment: Readonly<Record<string, string>>) =>
  Effect.map(certificate(environment), (made) => new X509Certificate(Option.getOrThrow(made).cert))

const refusal = (environment: Readonly<Record<string, string>>) =>
  Effect.map(Effect.flip(certificate(environment)), ({ message }) => message)

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
        const cert = yield* certOf({ WCS_DATA: data, WCS_TENANT_HOSTS: "acme.example,10.1.2.3" })
        for (const host of ["localhost", "other.localhost", "acme.example"])
          assert.strictEqual(cert.checkHost(host), host)
        for (const address of ["127.0.0.1", "::1", "10.1.2.3"]) assert.strictEqual(cert.checkIP(address), address)
        assert.isUndefined(cert.checkHost("other.example"))
        assert.isTrue(cert.verify(cert.publicKey))
        assert.deepStrictEqual(cert.publicKey.asymmetricKeyDetails, { namedCurve: "prime256v1" })
        assert.strictEqual(cert.validFrom, "Feb 28 00:00:00 2026 GMT")
        assert.strictEqual(cert.validTo, "Apr  2 00:00:00 2027 GMT")
        for (const name of ["tls-key.pem", "tls-cert.pem"]) assert.strictEqual(modeOf(join(data, name)), 0o600)
      })
  )

  it.effect("threat 48: self-signed: clients that trust it refuse another certificate that its key has signed", () =>
    Effect.gen(function* () {
      const data = yield* temporaryDirectory
      yield* TestClock.setTime(Date.now()) // OpenSSL has no other clock
      const made = Option.getOrThrow(yield* certificate({ WCS_DATA: data }))
      const forged = yield* Effect.promise(() => signedBy(made))
      assert.strictEqual(yield* handshake(made, made.cert), "trusted")
      assert.match(yield* handshake(forged, made.cert), /^INVALID_(?:CA|PURPOSE)$/)
    })
  )

  it.effect("self-signed: is kept while it is valid for the settings", () =>
    Effect.gen(function* () {
      const environment = { WCS_DATA: yield* temporaryDirectory }
      const first = yield* certOf(environment)
      yield* TestClock.adjust("366 days")
      assert.strictEqual((yield* certOf(environment)).fingerprint256, first.fingerprint256)
    })
  )

  it.effect("self-signed: is renewed when it soon expires, the hosts change or its parts do not match", () =>
    Effect.gen(function* () {
      const data = yield* temporaryDirectory
      const environment = { WCS_DATA: data }
      const seen = new Set<string>()
      const isNew = (cert: X509Certificate) => {
        const before = seen.size
        return seen.add(cert.fingerprint256).size > before
      }
      assert.isTrue(isNew(yield* certOf(environment)))
      yield* TestClock.adjust("368 days")
      assert.isTrue(isNew(yield* certOf(environment)))
      assert.isTrue(isNew(yield* certOf({ ...environment, WCS_TENANT_HOSTS: "acme.example" })))
      assert.isTrue(isNew(yield* certOf(environment)))
      const other = yield* temporaryDirectory
      yield* certOf({ WCS_DATA: other })
      writeFileSync(join(data, "tls-key.pem"), readFileSync(join(other, "tls-key.pem")))
      assert.isTrue(isNew(yield* certOf(environment)))
      writeFileSync(join(data, "tls-cert.pem"), "no certificate")
      assert.isTrue(isNew(yield* certOf(environment)))
      assert.isFalse(isNew(yield* certOf(environment)))
    })
  )

  it.effect("self-signed: everybody can read the certificate, and only its owner the key", () =>
    Effect.gen(function* () {
      const data = yield* temporaryDirectory
      const { fingerprint256 } = yield* certOf({ WCS_DATA: data })
      chmodSync(join(data, "tls-cert.pem"), 0o644)
      assert.strictEqual((yield* certOf({ WCS_DATA: data })).fingerprint256, fingerprint256)
      chmodSync(join(data, "tls-key.pem"), 0o644)
      assert.match(
        yield* refusal({ WCS_DATA: data }),
        /can be read by other users of this machine \(mode 0644, .*; run chmod 600/
      )
    })
  )

  it.effect("writes dates beyond 2049 as RFC 5280 requires", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.parse("2049-12-31T12:00:00Z"))
      const cert = yield* certOf({ WCS_DATA: yield* temporaryDirectory })
      assert.strictEqual(cert.validFrom, "Dec 30 12:00:00 2049 GMT")
      assert.strictEqual(cert.validTo, "Feb  1 12:00:00 2051 GMT")
    })
  )

  it.effect("files: are read, and refused in one sentence if they cannot be used", () =>
    Effect.gen(function* () {
      const [made, other, data] = [yield* temporaryDirectory, yield* temporaryDirectory, yield* temporaryDirectory]
      const first = yield* certOf({ WCS_DATA: made })
      yield* certOf({ WCS_DATA: other })
      const keyFile = join(made, "tls-key.pem")
      const files = {
        WCS_DATA: data,
        WCS_TLS: "files",
        WCS_TLS_CERT_FILE: join(made, "tls-cert.pem"),
        WCS_TLS_KEY_FILE: keyFile
      }
      assert.strictEqual((yield* certOf(files)).fingerprint256, first.fingerprint256)
      for (const file of [files.WCS_TLS_CERT_FILE, keyFile]) writeFileSync(file, `\uFEFF${readFileSync(file, "utf8")}`)
      assert.strictEqual((yield* certOf(files)).fingerprint256, first.fingerprint256, "with byte-order marks")
      assert.match(
        yield* refusal({ ...files, WCS_TLS_CERT_FILE: "/nowhere" }),
        /^WCS_TLS_CERT_FILE must be the path of a PEM file: no such file or directory\.$/
      )
      assert.match(
        yield* refusal({ ...files, WCS_TLS_KEY_FILE: "/nowhere" }),
        /^WCS_TLS_KEY_FILE must be the path of a PEM file: no such file or directory\.$/
      )
      assert.match(
        yield* refusal({ ...files, WCS_TLS_KEY_FILE: join(other, "tls-key.pem") }),
        /^WCS_TLS_KEY_FILE must be the private key of the certificate in WCS_TLS_CERT_FILE\.$/
      )
      chmodSync(keyFile, 0o644)
      assert.match(yield* refusal(files), /can be read by other users of this machine \(mode 0644, .*; run chmod 600/)
      chmodSync(keyFile, 0o600)
      writeFileSync(keyFile, "no key")
      assert.match(yield* refusal(files), /must contain a PEM certificate and its unencrypted private key\.$/)
    })
  )

  it.effect("proxy: has no certificate", () =>
    Effect.gen(function* () {
      const made = yield* certificate({
        WCS_DATA: yield* temporaryDirectory,
        WCS_TLS: "proxy",
        WCS_TRUSTED_PROXIES: "127.0.0.1"
      })
      assert.isTrue(Option.isNone(made))
    })
  )
})
