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
  ]
]

const profileOf = (url: string): Profile => ({
  name: "behind a front",
  newer: { tenantBaseUrl: url },
  principals: { admin: { token: "${CONF_ADMIN}" } },
  run: { secondsPerCall: 10 }
})

describe("what stands in front of a deployment", () => {
  for (const [what, treat, cause, advice] of fronts) {
    it(`is named before any rule is judged, and ends the run with 3: ${what}`, async () => {
      const { down, url } = await serving(treat)
      try {
        await inFolder(async (folder) => {
          const out = join(folder, "out")
          const args = ["run", "-p", writeProfile(folder, profileOf(url)), "--out", out, "--no-color"]
          const { code, told } = await commandLine(args, { CONF_ADMIN: "secret-of-admin" })
          const { headline, rules } = reportIn(out)
          assert.deepStrictEqual([code, headline], [3, `judged nothing: ${url}: ${cause}`])
          assert.match(told, advice)
          assert.isEmpty(rules.filter(({ verdict }) => verdict === "fail" || verdict === "pass"))
        })
      } finally {
        down()
      }
    })
  }
})
