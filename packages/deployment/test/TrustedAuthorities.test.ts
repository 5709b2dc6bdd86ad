import "reflect-metadata" // needed by @peculiar/x509
import { KeyObject } from "node:crypto"
import { writeFileSync } from "node:fs"
import { createServer } from "node:https"
import { type AddressInfo, createServer as createPlainServer } from "node:net"
import { join } from "node:path"
import { TLSSocket } from "node:tls"
import { assert, describe, it } from "@effect/vitest"
import * as x509 from "@peculiar/x509"
import { AllowedRanges } from "@wcs/delivery/Destinations"
import { OutgoingFetch } from "@wcs/delivery/OutgoingFetch"
import * as OutgoingRequests from "@wcs/delivery/OutgoingRequests"
import { Sender } from "@wcs/delivery/Sender"
import { inSnapshot } from "@wcs/deployment/stores/BackupConnection"
import { settingsOf } from "@wcs/deployment/TestDeployment"
import * as TrustedAuthorities from "@wcs/deployment/TrustedAuthorities"
import { WebhookSettings } from "@wcs/domain/webhook/WebhookSettings"
import { Effect, Layer } from "effect"
import ipaddr from "ipaddr.js"
import { temporaryDirectory } from "./Temporary.ts"

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const

/** A certificate for localhost that is its own authority, with its key. */
const authority = Effect.gen(function* () {
  const keys = yield* Effect.promise(() => crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]))
  const made = yield* Effect.promise(() =>
    x509.X509CertificateGenerator.createSelfSigned({
      name: "CN=authority of the house",
      keys,
      signingAlgorithm: algorithm,
      extensions: [
        new x509.BasicConstraintsExtension(true, undefined, true),
        new x509.SubjectAlternativeNameExtension([{ type: "dns", value: "localhost" }])
      ]
    })
  )
  return { cert: made.toString("pem"), key: KeyObject.from(keys.privateKey).export({ type: "pkcs8", format: "pem" }) }
})

/** A server whose certificate is its own authority, and a file with this authority as Windows saves it. */
const served = Effect.gen(function* () {
  const { cert, key } = yield* authority
  const file = join(yield* temporaryDirectory, "ca.pem")
  writeFileSync(file, `\uFEFF# the authority of the house\r\n${cert.replaceAll("\n", "\r\n")}\r\n`)
  const server = createServer({ cert, key }, (_, response) =>
    response.writeHead(200, { connection: "close" }).end("in")
  )
  yield* Effect.acquireRelease(
    Effect.promise(() => new Promise<void>((resolve) => server.listen(0, "localhost", resolve))),
    () => Effect.sync(() => server.close().closeAllConnections())
  )
  return { file, url: `https://localhost:${(server.address() as AddressInfo).port}/` }
})

/** A database that asks for TLS, ends each connection after the handshake, and counts the handshakes. */
const database = Effect.gen(function* () {
  const { cert, key } = yield* authority
  const file = join(yield* temporaryDirectory, "ca.pem")
  writeFileSync(file, cert)
  const seen = { handshakes: 0 }
  const server = createPlainServer((socket) => {
    socket.on("error", () => socket.destroy())
    socket.once("data", () => {
      const secure = new TLSSocket(socket, { isServer: true, cert, key })
      secure.on("error", () => socket.destroy())
      secure.on("secure", () => {
        seen.handshakes += 1
      })
      secure.once("data", () => secure.end())
      socket.write("S")
    })
  })
  yield* Effect.acquireRelease(
    Effect.promise(() => new Promise<void>((resolve) => server.listen(0, "localhost", resolve))),
    () => Effect.sync(() => server.close())
  )
  const { port } = server.address() as AddressInfo
  return { file, seen, url: `postgres://wcs:secret@localhost:${port}/wcs?sslmode=verify-full` }
})

const loopback = [ipaddr.parseCIDR("127.0.0.0/8"), ipaddr.parseCIDR("::1/128")]

const trusting = (environment: Readonly<Record<string, string>>) =>
  Layer.provide(TrustedAuthorities.layer, settingsOf(environment))

/** The answers to a delivery, a call to an OpenID provider, and a call to the register or the collector. */
const answersOf = (url: string) =>
  Effect.gen(function* () {
    const sent = yield* Sender.use((sender) => sender.send({ url, headers: {}, body: Buffer.from("{}") }))
    const { fetch: outgoing } = yield* OutgoingFetch
    const textOf = (answer: Promise<Response>) =>
      Effect.promise(() =>
        answer.then(
          (response) => response.text(),
          () => "refused"
        )
      )
    return [
      sent._tag === "Answered" ? sent.excerpt : sent.fault,
      yield* textOf(outgoing(url, {})),
      yield* textOf(fetch(url, { method: "POST", body: "{}" }))
    ]
  }).pipe(
    Effect.provide(
      Layer.provide(OutgoingRequests.layer, [
        Layer.succeed(AllowedRanges, loopback),
        Layer.succeed(WebhookSettings, { allowsHttp: false, changeoverSeconds: 86_400, webhooksMax: 100 })
      ]),
      { local: true }
    )
  )

describe("WCS_CA_FILE", () => {
  it.live("lets all outgoing calls trust a private authority, and only with the setting", () =>
    Effect.gen(function* () {
      const { file, url } = yield* served
      assert.deepStrictEqual(yield* answersOf(url), ["TLS_FAILED", "refused", "refused"])
      const trusted = Effect.provide(answersOf(url), trusting({ WCS_CA_FILE: file }), { local: true })
      assert.deepStrictEqual(yield* trusted, ["in", "in", "in"])
      assert.deepStrictEqual(yield* answersOf(url), ["TLS_FAILED", "refused", "refused"])
    })
  )

  it.live("lets a command that only reads the store trust the authority of the database", () =>
    Effect.gen(function* () {
      const { file, seen, url } = yield* database
      const handshakesWith = (environment: Readonly<Record<string, string>>) =>
        inSnapshot(Effect.void).pipe(
          Effect.flip,
          Effect.map(() => seen.handshakes),
          Effect.provide(settingsOf({ ...environment, DATABASE_URL: url }), { local: true })
        )
      assert.strictEqual(yield* handshakesWith({}), 0)
      assert.isAbove(yield* handshakesWith({ WCS_CA_FILE: file }), 0)
    })
  )

  it.effect("refuses a missing file and a file without certificates", () =>
    Effect.gen(function* () {
      const file = join(yield* temporaryDirectory, "ca.pem")
      const refusal = Effect.map(Effect.flip(Layer.build(trusting({ WCS_CA_FILE: file }))), ({ message }) => message)
      assert.include(yield* refusal, `with certificates: ${file} does not exist.`)
      writeFileSync(file, "no certificate")
      assert.include(yield* refusal, `${file} has no certificate.`)
      writeFileSync(file, "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n")
      assert.include(yield* refusal, `${file} has a certificate that cannot be read.`)
      const { cert } = yield* authority
      writeFileSync(file, `${cert.slice(0, cert.indexOf("-----END"))}\n${cert}`)
      assert.include(yield* refusal, `${file} has a certificate that cannot be read.`)
    }).pipe(Effect.scoped)
  )
})
