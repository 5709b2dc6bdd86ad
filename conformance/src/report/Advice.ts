import { type Exchange, isIn, type Silence, statusOf } from "../wire/Exchange.ts"
import { elsewhere, insteadOf } from "../wire/Front.ts"

const onSilence: Readonly<Record<Silence, string>> = {
  tls: "TLS failed: check that the port speaks TLS",
  "unknown issuer":
    "the certificate's issuer is not trusted: for a private issuer, set --ca FILE, or tls.caFile in the profile",
  "expired certificate": "the certificate has expired or is not valid yet: renew it, or check this machine's clock",
  "wrong host": "the certificate is for another host: use a host that it names, or correct the certificate",
  "client certificate required":
    "the server requires a client certificate: name one under network.clientCertificate in the profile",
  "no connection":
    "the connection was not established: check host, port and proxy, and that this machine can reach them",
  "unknown host": "DNS does not know the host: check the URL, or set the host's address under resolve in the profile",
  refused: "no server listens there: check host and port",
  timeout: "the response did not arrive in time: check that this machine can reach the host",
  reset: "the connection was closed: check host, port and scheme (https or http)",
  malformed: "the response is not valid HTTP: check port and scheme (https or http)",
  "too large": "the response is too large for this service: check the URL"
}

/**
 * Returns advice for a deployment that could not be judged at all, derived from the last exchange. Returns undefined if
 * there is none.
 */
export const adviceOn = (exchange: Exchange): string | undefined => {
  if (exchange.silence !== null) return onSilence[exchange.silence]
  const front = insteadOf(exchange)
  if (front !== undefined) return front.advice
  const status = statusOf(exchange)
  if (isIn(exchange, 5)) return "the deployment has an internal error: see its log"
  if (status === 429) return "the rate limit is used up: wait, or request a higher limit"
  if (isIn(exchange, 3)) return `${elsewhere}. The suite does not follow its redirect`
  if (exchange.kind !== "token") return "the deployment rejects the admin's token: the admin must have every privilege"
  if (exchange.answer?.json === undefined || status === 404) return elsewhere
  if (status === 400 && exchange.request.url.startsWith("http:")) return "the deployment may require https://"
  return "the deployment rejects the OAuth client: check clientId and the environment variable of clientSecret"
}
