import { type Exchange, isIn, type Silence, statusOf } from "../wire/Exchange.ts"

const onSilence: Readonly<Record<Silence, string>> = {
  tls:
    "no TLS connection could be trusted: give an issuer of your own with --ca FILE, or as tls.caFile in the profile; " +
    "and see that the port speaks TLS at all",
  "unknown host": "DNS does not know the host: look at the URL, or tell its address under resolve in the profile",
  refused: "nothing listens there: look at the host and the port",
  timeout: "no whole answer came in time: see whether the host can be reached from here",
  reset: "the connection was closed: see that host, port and scheme (https or http) are right",
  malformed: "what listens there speaks no HTTP that can be read: see that port and scheme (https or http) are right",
  "too large": "what answers there is no such deployment: look at the URL"
}

const elsewhere =
  "what answers there is not this service: the URL is scheme, host and port of the tenant's own host, below which " +
  "/openapi/v1 stands"

/**
 * What whoever runs the suite can do where a deployment could not be judged at all, by the last exchange that was made
 * with it; undefined where nothing comes to mind.
 */
export const adviceOn = (exchange: Exchange): string | undefined => {
  if (exchange.silence !== null) return onSilence[exchange.silence]
  const status = statusOf(exchange)
  if (isIn(exchange, 5)) return "the deployment itself fails: see its log"
  if (status === 429) return "its rate limit is used up: wait, or ask for a higher one"
  if (isIn(exchange, 3)) return `${elsewhere}; it redirects, which is not followed`
  if (exchange.kind !== "token") return "it does not take the token: the admin has to be somebody who may do everything"
  if (exchange.answer?.json === undefined || status === 404) return elsewhere
  if (status === 400 && exchange.request.url.startsWith("http:")) return "it may have to be asked by https://"
  return "it does not take the client: look at clientId, and at what the variable holds that clientSecret names"
}
