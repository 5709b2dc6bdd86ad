import type { IncomingMessage, ServerResponse } from "node:http"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import type { Profile } from "@wcs/conformance/profile/Profile"
import { commandLine, inFolder, reportIn, writeProfile } from "../CommandLine.ts"
import { serving } from "./GarbageServers.ts"

const html = { "Content-Type": "text/html", Server: "nginx" }

const page =
  (status: number, text: string, headers: Readonly<Record<string, string>> = html) =>
  (_: IncomingMessage, response: ServerResponse) =>
    void response.writeHead(status, headers).end(text)

const titled = (title: string) => `<html><head><title>${title}</title></head><body><h1>${title}</h1></body></html>`

/** What may stand in front of a deployment, and the cause that the suite names. */
const fronts: ReadonlyArray<readonly [what: string, ReturnType<typeof page>, cause: string, advice: RegExp]> = [
  [
    "a gateway that requires a client certificate",
    page(400, titled("400 No required SSL certificate was sent")),
    "a gateway requires a client certificate (400)",
    /network\.clientCertificate/
  ],
  [
    "a login page",
    page(302, "", { Location: "https://sso.example/login?next=/" }),
    "a proxy redirects to a login page at sso.example (302)",
    /without its login/
  ],
  [
    "a permanent redirect",
    page(308, "", { Location: "https://api.example/openapi/v1/workers" }),
    "a server in front redirects to https://api.example (308)",
    /use the address/
  ],
  [
    "a gateway without a server",
    page(502, titled("502 Bad Gateway")),
    "a gateway could not reach the deployment (502)",
    /runs/
  ],
  [
    "a limiter",
    page(503, titled("503 Service Temporarily Unavailable")),
    "a server in front has a limit, or no deployment behind it (503)",
    /requestsPerSecond/
  ],
  ["a firewall", page(403, titled("Access Denied")), "a firewall refused the call (403)", /pass the firewall/],
  [
    "a firewall that wants a user agent",
    page(403, titled("Request blocked: bad User-Agent")),
    "a firewall refuses the User-Agent of the suite (403)",
    /network\.headers/
  ],
  [
    "a gateway that requires an API key",
    page(401, '{"message":"No API key found in request"}', { "Content-Type": "application/json" }),
    "a gateway requires an API key (401)",
    /network\.headers/
  ],
  [
    "a 404 page",
    page(404, titled("404 Not Found")),
    "the server there does not know the paths of the service (404)",
    /newer\.pathPrefix/
  ],
  [
    "a router without a route, in JSON",
    page(404, '{"message":"no Route matched with those values"}', { "Content-Type": "application/json" }),
    "the server there does not know the paths of the service (404)",
    /newer\.pathPrefix/
  ],
  [
    "the page of an application for every path",
    page(200, `<!doctype html>${titled("Welcome")}`),
    "a web page answered in place of the service (200)",
    /the server there is not this service/
  ],
  [
    "a login page with 200",
    page(200, `${titled("Welcome")}<form><input name="p" type="password"></form>`),
    "a login page answered in place of the service (200)",
    /without its login/
  ],
  [
    "a refusal without HTML",
    page(403, '{"message":"Forbidden"}', { "Content-Type": "application/json" }),
    "a server in front refused the call, without an error body of the service (403)",
    /pass the server in front/
  ],
  [
    "a refusal in plain text",
    page(403, "error code: 1020", { "Content-Type": "text/plain" }),
    "a server in front refused the call, without an error body of the service (403)",
    /pass the server in front/
  ],
  [
    "a proxy with a login of its own",
    page(401, titled("401 Authorization Required"), { ...html, "WWW-Authenticate": 'Basic realm="Restricted"' }),
    "a server in front asks for a login of its own (401)",
    /without its login/
  ]
]

const envelope = (code: string) => JSON.stringify({ error: { code, message: "No.", requestId: "x" } })
const named = { "Content-Type": "text/plain", "X-Request-Id": "x" }

/** First answers of the deployment itself, and the headline of the run; undefined: the rules are judged. */
const own: ReadonlyArray<readonly [what: string, ReturnType<typeof page>, headline: string | undefined]> = [
  ["403 in the envelope", page(403, envelope("FORBIDDEN")), "refused the admin's credentials (403)"],
  ["403 with a request id", page(403, "No.", named), "refused the admin's credentials (403)"],
  ["401 in the envelope", page(401, envelope("UNAUTHORIZED")), "refused the admin's credentials (401)"],
  ["404 in the envelope", page(404, envelope("NOT_FOUND")), undefined],
  ["404 with a request id", page(404, "<title>Not found</title>", named), undefined],
  ["200 with a request id", page(200, "<title>Workers</title>", named), undefined]
]

const profileOf = (url: string): Profile => ({
  name: "behind a front",
  newer: { tenantBaseUrl: url },
  principals: { admin: { token: "${CONF_ADMIN}" } },
  run: { secondsPerCall: 10 }
})

/** The end of a run with this profile. */
const judged = (profile: Profile, ...flags: ReadonlyArray<string>) =>
  inFolder(async (folder) => {
    const out = join(folder, "out")
    const args = ["run", "-p", writeProfile(folder, profile), "--out", out, "--no-color", ...flags]
    const { code, told } = await commandLine(args, { CONF_ADMIN: "secret-of-admin" })
    return { code, told, ...reportIn(out) }
  })

describe("what stands in front of a deployment", () => {
  for (const [what, treat, cause, advice] of fronts) {
    it(`is named before any rule is judged, and ends the run with 3: ${what}`, async () => {
      const { down, url } = await serving(treat)
      try {
        const { code, headline, rules, told } = await judged(profileOf(url))
        assert.deepStrictEqual([code, headline], [3, `judged nothing: ${url}: ${cause}`])
        assert.match(told, advice)
        assert.isEmpty(rules.filter(({ verdict }) => verdict === "fail" || verdict === "pass"))
      } finally {
        down()
      }
    })
  }

  const atTokens: ReadonlyArray<readonly [what: string, ReturnType<typeof page>, cause: string]> = [
    [
      "a permanent redirect",
      page(308, "", { Location: "https://api.example/openapi/v1/oauth/token" }),
      "a server in front redirects to https://api.example; it answered 308"
    ],
    [
      "a proxy with a login of its own",
      page(401, titled("401 Authorization Required"), { ...html, "WWW-Authenticate": 'Basic realm="Restricted"' }),
      "a server in front asks for a login of its own; it answered 401"
    ],
    ["a refusal of the client", page(401, '{"error":"invalid_client"}', { "WWW-Authenticate": "Basic" }), ""]
  ]
  for (const [what, treat, cause] of atTokens) {
    it(`is named before a token is granted: ${what}`, async () => {
      const { down, url } = await serving(treat)
      try {
        const admin = { oauth: { clientId: "x_oauth_0", clientSecret: "${CONF_ADMIN}" } }
        const { code, headline } = await judged({ ...profileOf(url), principals: { admin } })
        const own = "the token endpoint answered 401 invalid_client without an access_token"
        const why = cause === "" ? own : `${cause} at the token endpoint`
        assert.deepStrictEqual([code, headline], [3, `judged nothing: no token for admin: ${why}`])
      } finally {
        down()
      }
    })
  }

  for (const [what, treat, refusal] of own) {
    it(`is not blamed for an answer of the deployment itself: ${what}`, async () => {
      const { down, url } = await serving(treat)
      try {
        const { headline } = await judged(profileOf(url), "--only", "TRN-01,PRV-13")
        if (refusal === undefined) assert.notMatch(headline, /^judged nothing/)
        else assert.strictEqual(headline, `judged nothing: ${url} ${refusal}`)
      } finally {
        down()
      }
    })
  }
})
