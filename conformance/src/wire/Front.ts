import { at, isObject } from "../text/Json.ts"
import { type Exchange, isIn, statusOf } from "./Exchange.ts"

// Answers of what stands in front of a deployment: gateways, limiters, firewalls and login pages.

/** Why something in front of the deployment answered, and what to do. */
export interface Front {
  readonly cause: string
  readonly advice: string
}

/** Statuses of a gateway that could not reach a server or got no answer in time (RFC 9110, sections 15.6.3 to 15.6.5). */
const ofGateways: ReadonlySet<number> = new Set([502, 503, 504])

/** Whether an answer has the body of the newer surface or of the token endpoint. */
const isServices = ({ answer }: Exchange): boolean =>
  isObject(answer?.json) && ["data", "error", "access_token"].some((key) => at(answer?.json, key) !== undefined)

const throughProxy = "let API calls pass the proxy without its login, or use the address behind the proxy"

/** Advice for a server that answers, but not as this service. */
export const elsewhere =
  "the server there is not this service: the URL must be scheme, host and port of the tenant's own host, " +
  "without /openapi/v1; a path in front of it is newer.pathPrefix in the profile"

const addHeader = "add the header that it wants under network.headers in the profile"

const certificate: Front = {
  cause: "a gateway requires a client certificate",
  advice: "name one under network.clientCertificate in the profile"
}

/** Where a redirect leads. */
const targetOf = ({ answer, request }: Exchange): URL | undefined => {
  const location = answer?.headers["location"]
  return location !== undefined && URL.canParse(location, request.url) ? new URL(location, request.url) : undefined
}

const redirectOf = (exchange: Exchange): Front | undefined => {
  const target = isIn(exchange, 3) ? targetOf(exchange) : undefined
  if (target === undefined) return undefined
  const { origin, pathname } = new URL(exchange.request.url)
  // the path of the token endpoint itself has `oauth`
  const leads = target.pathname.replace(pathname, "")
  if (/log-?in|sign-?in|\bauth|\bsso\b|saml|oauth2?\//i.test(`${target.host}${leads}`)) {
    return {
      cause: `a proxy redirects to a login page at ${target.host}`,
      advice: throughProxy
    }
  }
  const aim = target.origin === origin ? target.pathname : target.origin
  return {
    cause: `a server in front redirects to ${aim}`,
    advice: "use the address to which it redirects; the suite follows no redirect"
  }
}

const refusalOf = (exchange: Exchange): Front | undefined => {
  const status = statusOf(exchange)
  const { headers = {}, text = "" } = exchange.answer ?? {}
  if ([400, 403, 495, 496].includes(status) && /(ssl|client|tls) certificate/i.test(text)) return certificate
  if (status === 400 && /plain HTTP request was sent to HTTPS port/i.test(text)) {
    return { cause: "the port expects TLS", advice: "use https:// in the profile" }
  }
  const isOfApiGateway = headers["x-amzn-errortype"] !== undefined || /missing authentication token/i.test(text)
  if ([401, 403].includes(status) && (/api[-_ ]?key/i.test(text) || isOfApiGateway)) {
    return { cause: "a gateway requires an API key", advice: addHeader }
  }
  // a deployment may refuse in plain text or other JSON before it has a request id
  if (status !== 403 || !/<(html|title|!doctype)/i.test(text)) return undefined
  return /user[-_ ]?agent/i.test(text)
    ? { cause: "a firewall refuses the User-Agent of the suite", advice: addHeader }
    : { cause: "a firewall refused the call", advice: "let the calls of this machine pass the firewall" }
}

const causes: Readonly<Record<number, Front>> = {
  502: { cause: "a gateway could not reach the deployment", advice: "check that the deployment runs behind it" },
  503: {
    cause: "a server in front has a limit, or no deployment behind it",
    advice: "lower run.requestsPerSecond in the profile, or wait until the deployment is ready"
  },
  504: { cause: "a gateway got no answer in time", advice: "check that the deployment runs behind it" }
}

/**
 * Returns why something in front of the deployment answered; undefined for an answer that may be the deployment's. An
 * answer with a request id comes from the deployment itself (RID-01). The legacy surface may answer with any page, and
 * any refusal is right for plain HTTP (SIL-03) and for unusual requests.
 */
export const frontOf = (exchange: Exchange): Front | undefined => {
  const { answer, kind } = exchange
  if (answer === null || ["plain", "delivery", "web"].includes(kind)) return undefined
  if (answer.headers["x-request-id"] !== undefined) return undefined
  if (ofGateways.has(answer.status)) return causes[answer.status]
  if (kind === "legacy" || isServices(exchange)) return undefined
  if (kind !== "unknown path") return redirectOf(exchange) ?? refusalOf(exchange)
  // any refusal is right for an unknown path, but no redirect is, unless a provider is set up there (§4.2)
  return new URL(exchange.request.url).pathname.includes("/oauth/") ? undefined : redirectOf(exchange)
}

/** Whether a text is a web page. */
const isPage = (text: string): boolean => /<(!doctype|html|head|title)\b/i.test(text)

/**
 * Returns why the first answer of a run is not the service's; undefined for one that may be. In the middle of a run only
 * `frontOf` decides: a deployment may answer there with a page, and rules judge that.
 */
export const insteadOf = (exchange: Exchange): Front | undefined => {
  const front = frontOf(exchange)
  const { answer, kind } = exchange
  const isOfService = isServices(exchange) || answer?.headers["x-request-id"] !== undefined
  if (front !== undefined || answer === null || isOfService || (kind !== "call" && kind !== "token")) return front
  const { headers, json, status, text } = answer
  if (isIn(exchange, 2) && json === undefined && isPage(text)) {
    return /type=["']?password|<title>[^<]*(log|sign)[ -]?(in|on)\b/i.test(text)
      ? { cause: "a login page answered in place of the service", advice: throughProxy }
      : { cause: "a web page answered in place of the service", advice: elsewhere }
  }
  if (status === 404) return { cause: "the server there does not know the paths of the service", advice: elsewhere }
  if (status === 403) {
    const cause = "a server in front refused the call, without an error body of the service"
    return { cause, advice: "let the calls of this machine pass the server in front" }
  }
  // a token endpoint challenges with Basic too, but with the body of OAuth (OAU-14)
  const isChallenge = /^(basic|digest|negotiate|ntlm)\b/i.test(headers["www-authenticate"] ?? "")
  return status === 401 && isChallenge
    ? { cause: "a server in front asks for a login of its own", advice: throughProxy }
    : undefined
}
