import { X509Certificate } from "node:crypto"
import { isIP } from "node:net"
import { fromFiles } from "@wcs/http-node/listening/Certificate"
import { Settings } from "@wcs/http-node/Settings"
import { Clock, Effect, Result } from "effect"
import { findingsOf } from "./Finding.ts"

const dayMillis = 24 * 3600 * 1000
/** Days before the expiry at which a renewal should have happened. */
const renewalDays = 14

const { failed, ok, warning } = findingsOf("certificate")

const covers = (certificate: X509Certificate, host: string): boolean => {
  const bare = host.replace(/^\[|\]$/g, "")
  return (isIP(bare) === 0 ? certificate.checkHost(bare) : certificate.checkIP(bare)) !== undefined
}

/** The certificate of the settings: its key, its dates and its hosts. */
export const certificate = Effect.gen(function* () {
  const { tenantHosts, tls } = yield* Settings
  if (tls._tag === "Proxy") return [ok("A proxy terminates TLS.")]
  if (tls._tag === "SelfSigned") {
    return [
      warning("The certificate is self-signed, for development: set WCS_TLS to files or proxy for other clients.")
    ]
  }
  const pair = yield* Effect.result(fromFiles(tls.certFile, tls.keyFile))
  if (Result.isFailure(pair)) return [failed(pair.failure.message)]
  const found = new X509Certificate(pair.success.cert)
  const now = yield* Clock.currentTimeMillis
  const [from, to] = [Date.parse(found.validFrom), Date.parse(found.validTo)]
  const days = Math.floor((to - now) / dayMillis)
  const missing = tenantHosts.filter((host) => !covers(found, host))
  const ofHosts =
    missing.length === 0 ? [] : [warning(`The certificate lacks ${missing.join(", ")}: order one with all hosts.`)]
  if (now < from) return [failed(`The certificate is valid from ${found.validFrom} only: check the clock.`), ...ofHosts]
  if (days < 0)
    return [failed(`The certificate expired on ${found.validTo}: renew it and restart the server.`), ...ofHosts]
  const shown = `The certificate expires in ${days} days`
  return [days < renewalDays ? warning(`${shown}: renew it and restart the server.`) : ok(`${shown}.`), ...ofHosts]
})
