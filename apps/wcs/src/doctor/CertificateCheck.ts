import { X509Certificate } from "node:crypto"
import { isIP } from "node:net"
import { Settings } from "@wcs/deployment/Settings"
import { inSnapshot } from "@wcs/deployment/stores/BackupConnection"
import { fromFiles, loopbackHosts } from "@wcs/node-server/Certificate"
import { Clock, Effect, Result } from "effect"
import { SqlClient } from "effect/sql"
import { findingsOf } from "./Finding.ts"

const dayMillis = 24 * 3600 * 1000
/** Days before the expiry at which a renewal should have happened. */
const renewalDays = 14

const { failed, ok, warning } = findingsOf("certificate")

const covers = (certificate: X509Certificate, host: string): boolean => {
  const bare = host.replace(/^\[|\]$/g, "")
  return (isIP(bare) === 0 ? certificate.checkHost(bare) : certificate.checkIP(bare)) !== undefined
}

/** The hosts of all tenants in the store. None if there is no store, or it does not answer: another check says so. */
const storedHosts = inSnapshot(
  SqlClient.SqlClient.use((sql) => sql<{ readonly host: string }>`SELECT host FROM tenant_host ORDER BY host`)
).pipe(
  Effect.map((rows) => rows.map(({ host }) => host)),
  Effect.orElseSucceed((): ReadonlyArray<string> => [])
)

/** Whether only this machine reaches the host, so that no issuer certifies it. */
const isLoopback = (host: string): boolean =>
  loopbackHosts.some((loopback) => loopback === host) || host.endsWith(".localhost")

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
  const hosts = new Set([...tenantHosts, ...(yield* storedHosts).filter((host) => !isLoopback(host))])
  const missing = [...hosts].filter((host) => !covers(found, host))
  const ofHosts =
    missing.length === 0 ? [] : [warning(`The certificate lacks ${missing.join(", ")}: order one with all hosts.`)]
  if (now < from) return [failed(`The certificate is valid from ${found.validFrom} only: check the clock.`), ...ofHosts]
  if (days < 0)
    return [failed(`The certificate expired on ${found.validTo}: renew it and restart the server.`), ...ofHosts]
  const shown = `The certificate expires in ${days} days`
  return [days < renewalDays ? warning(`${shown}: renew it and restart the server.`) : ok(`${shown}.`), ...ofHosts]
})
