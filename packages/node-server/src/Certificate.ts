import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto"
import { isIP } from "node:net"
import { join } from "node:path"
import { Clock, Context, Effect, Option } from "effect"
import { readPublic, readSecret, replaceSecret } from "./PrivateFile.ts"
import { StartRefused } from "./StartRefused.ts"

/** The source of the certificate (DECISIONS.md#operation). */
export type Tls =
  | { readonly _tag: "SelfSigned" }
  | { readonly _tag: "Files"; readonly certFile: string; readonly keyFile: string }
  /** A proxy terminates TLS and sets `X-Forwarded-Proto`. */
  | { readonly _tag: "Proxy" }

/** The certificate of the listener. None if a proxy terminates TLS. */
export class Certificate extends Context.Service<
  Certificate,
  Option.Option<{
    /** PEM. */
    readonly cert: string
    /** PEM. */
    readonly key: string
    /** The file for clients that do not trust the issuer. */
    readonly file: string
  }>
>()("@wcs/node-server/Certificate") {}

/** The loopback hosts, which the first tenant always has. */
export const loopbackHosts = ["localhost", "127.0.0.1", "[::1]"] as const

/** A host for a second tenant, which the certificate already includes. */
const spareHost = "other.localhost"

const certName = "tls-cert.pem"
const keyName = "tls-key.pem"

/** The path of the self-signed certificate, which the first start creates. */
export const selfSignedFile = (directory: string): string => join(directory, certName)

const dayMillis = 24 * 3600 * 1000
/** Clients refuse longer lifetimes (CA/Browser Forum, baseline requirements 6.3.2). */
const lifeMillis = 397 * dayMillis
/** A start replaces a certificate that expires within this time. */
const leastRestMillis = 30 * dayMillis

const parse = (text: { readonly cert: string; readonly key: string }) =>
  Option.liftThrowable((): { readonly cert: X509Certificate; readonly key: KeyObject } => ({
    cert: new X509Certificate(text.cert),
    key: createPrivateKey(text.key)
  }))()

/** Whether a stored certificate is valid, does not expire soon, signs no other and has exactly these hosts. */
const isFit = (text: { readonly cert: string; readonly key: string }, hosts: ReadonlyArray<string>, now: number) =>
  Option.exists(parse(text), ({ cert, key }) => {
    const named = (cert.subjectAltName ?? "").split(", ").length
    return (
      cert.checkPrivateKey(key) &&
      !cert.ca &&
      Date.parse(cert.validTo) - leastRestMillis > now &&
      Date.parse(cert.validFrom) <= now &&
      named === hosts.length &&
      hosts.every((host) => {
        const bare = host.replace(/^\[|\]$/g, "")
        return (isIP(bare) === 0 ? cert.checkHost(bare) : cert.checkIP(bare)) !== undefined
      })
    )
  })

const selfSigned = Effect.fnUntraced(function* (directory: string, hosts: ReadonlyArray<string>) {
  const now = yield* Clock.currentTimeMillis
  const file = selfSignedFile(directory)
  const key = yield* readSecret(join(directory, keyName), "The TLS key")
  const cert = yield* readPublic(file, "The TLS certificate")
  const kept = Option.filter(Option.all({ cert, key }), (text) => isFit(text, hosts, now))
  if (Option.isSome(kept)) return { ...kept.value, file }
  const { generate } = yield* Effect.promise(() => import("./SelfSigned.ts")) // rarely needed
  const made = yield* Effect.promise(() => generate(hosts, now - dayMillis, now + lifeMillis)) // clocks of clients may be slow
  yield* replaceSecret(join(directory, keyName), made.key)
  yield* replaceSecret(file, made.cert)
  return { ...made, file }
})

const existing = (variable: string, content: Effect.Effect<Option.Option<string>, StartRefused>) =>
  Effect.flatMap(
    content,
    Option.match({
      onNone: () =>
        new StartRefused({ message: `${variable} must be the path of a PEM file: no such file or directory.` }),
      onSome: Effect.succeed
    })
  )

/** Reads a certificate and its key. Fails unless they are a pair. */
export const fromFiles = Effect.fnUntraced(function* (certFile: string, keyFile: string) {
  const cert = yield* existing("WCS_TLS_CERT_FILE", readPublic(certFile, "The TLS certificate"))
  const key = yield* existing("WCS_TLS_KEY_FILE", readSecret(keyFile, "The TLS key"))
  const pair = parse({ cert, key })
  if (Option.isNone(pair)) {
    return yield* new StartRefused({
      message: "WCS_TLS_CERT_FILE and WCS_TLS_KEY_FILE must contain a PEM certificate and its unencrypted private key."
    })
  }
  if (!pair.value.cert.checkPrivateKey(pair.value.key)) {
    return yield* new StartRefused({
      message: "WCS_TLS_KEY_FILE must be the private key of the certificate in WCS_TLS_CERT_FILE."
    })
  }
  return { cert, key, file: certFile }
})

/** Reads the certificate, or creates it in the directory for the loopback hosts and those of the tenant. */
export const make = Effect.fnUntraced(function* (tls: Tls, directory: string, tenantHosts: ReadonlyArray<string>) {
  switch (tls._tag) {
    case "Proxy":
      return Certificate.of(Option.none())
    case "Files":
      return Certificate.of(Option.some(yield* fromFiles(tls.certFile, tls.keyFile)))
    case "SelfSigned":
      return Certificate.of(
        Option.some(yield* selfSigned(directory, [...new Set([...loopbackHosts, spareHost, ...tenantHosts])]))
      )
  }
})
