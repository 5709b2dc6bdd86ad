import { X509Certificate } from "node:crypto"
import { getCACertificates, setDefaultCACertificates } from "node:tls"
import { readPublic } from "@wcs/node-server/PrivateFile"
import { StartRefused } from "@wcs/node-server/StartRefused"
import { Effect, Layer, Option } from "effect"
import { Settings } from "./Settings.ts"

const refused = (reason: string) =>
  new StartRefused({ message: `WCS_CA_FILE must be the path of a PEM file with certificates: ${reason}.` })

const begin = /-----BEGIN CERTIFICATE-----/g
const pem = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g

/** Reads the certificates of a PEM file. Fails unless there is at least one and all are valid. */
export const authoritiesIn = Effect.fnUntraced(function* (file: string) {
  const text = yield* readPublic(file, "The file of WCS_CA_FILE")
  if (Option.isNone(text)) return yield* refused(`${file} does not exist`)
  const certificates = text.value.match(pem) ?? []
  const begun = text.value.match(begin)?.length ?? 0
  if (begun === 0) return yield* refused(`${file} has no certificate`)
  if (certificates.length < begun) return yield* refused(`${file} has a certificate that cannot be read`)
  for (const certificate of certificates) {
    yield* Effect.try({
      try: () => new X509Certificate(certificate),
      catch: () => refused(`${file} has a certificate that cannot be read`)
    })
  }
  return certificates
})

/**
 * Makes all TLS clients of this process trust the authorities of the settings, also `fetch` and the database driver, for
 * the lifetime of the layer. Build it before anything connects.
 */
export const layer: Layer.Layer<never, StartRefused, Settings> = Layer.effectDiscard(
  Effect.gen(function* () {
    const { authoritiesFile } = yield* Settings
    if (Option.isNone(authoritiesFile)) return
    const further = yield* authoritiesIn(authoritiesFile.value)
    yield* Effect.acquireRelease(
      Effect.sync(() => {
        const present = getCACertificates("default")
        setDefaultCACertificates([...present, ...further])
        return present
      }),
      (present) => Effect.sync(() => setDefaultCACertificates(present))
    )
  })
)
