import { readdirSync, readFileSync } from "node:fs"
import * as http from "node:http"
import * as https from "node:https"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import type { Profile } from "@wcs/conformance/profile/Profile"
import { hosts } from "@wcs/specimen/server/World"
import { Effect } from "effect"
import { command, scriptCode, served, writeProfile } from "../command/Served.ts"
import { pathOf } from "../Rewrite.ts"
import { brokenWhile, faultOf, faultsOf } from "../Specimen.ts"

const rules = ["OWN-04", "AUT-04"] as const

/** A script can change the last character of its own token. */
const forged = faultsOf("AUT-04", "a malformed token is accepted").filter(
  ({ place }) => place["part"] === "the last character of the signature" && place["endpoint"] === "GET /workers"
)

describe("a repro script", () => {
  it.live(
    "OWN-04, AUT-04: sends only the needed requests, reports the failure and its fix, and has no result when creates fail",
    () =>
      Effect.gen(function* () {
        let [isBroken, isMaking] = [true, true]
        const asked: Array<string> = []
        const { environment, folder, left, profile } = yield* served({
          hit: brokenWhile(() => isBroken, faultOf("OWN-04"), ...forged),
          rewrite: (serve) => (request) => {
            const line = `${request.method} ${pathOf(request)}`
            // a script gives its resources names of its own
            const named = /conf-r\d+x\d+/.test(request.body) ? " by the script" : ""
            asked.push(`${line.replaceAll(/\w+_\w+/g, "ID")}${named}`)
            return isMaking || line !== "POST /workers" ? serve(request) : serve({ ...request, body: "{" })
          }
        })
        const out = join(folder, "out")
        const args = ["run", "-p", writeProfile(folder, profile), "--out", out, "--only", rules.join(), "--quiet"]
        assert.strictEqual((yield* command(args, environment)).code, 1)
        const exits = (given: typeof environment) =>
          Effect.forEach(rules, (rule) => scriptCode(join(out, "repro", `${rule}.sh`), given))

        asked.length = 0
        assert.strictEqual(yield* scriptCode(join(out, "repro", "OWN-04.sh"), environment), 1)
        assert.deepStrictEqual(asked, [
          "POST /oauth/token",
          ...["POST /workers by the script", "POST /workers by the script"],
          ...["POST /credentials by the script", "POST /credentials by the script"],
          ...["POST /credentials/ID/link", "POST /credentials/ID/link", "POST /credentials/ID/link"],
          ...["GET /credentials/ID", "DELETE /credentials/ID", "DELETE /credentials/ID"],
          ...["DELETE /workers/ID", "DELETE /workers/ID"]
        ])
        assert.deepStrictEqual(yield* exits({ ...environment, TMPDIR: folder }), [1, 1])
        isBroken = false
        assert.deepStrictEqual(yield* exits(environment), [0, 0])
        isMaking = false
        assert.strictEqual((yield* exits(environment))[0], 2)
        assert.notInclude(yield* exits({}), 0)
        assert.deepStrictEqual(yield* left, [])
        assert.sameMembers(readdirSync(folder), ["out", "profile.json"])
      })
  )

  it.live("passes a gateway that requires a client certificate, a header and a path prefix", () =>
    Effect.gen(function* () {
      const { environment, folder, left, port, profile } = yield* served({
        hit: brokenWhile(() => true, faultOf("OWN-04"))
      })
      const place = yield* gateway(port)
      const behind: Profile = {
        ...profile,
        newer: { tenantBaseUrl: `https://tenant.invalid:${place}`, pathPrefix: "/tenants/t1" },
        resolve: { ...profile.resolve, "tenant.invalid": "127.0.0.1" },
        tls: { caFile: pemFile },
        network: {
          headers: { "X-Api-Key": "${CONF_KEY}", "X-Plain": "it's" },
          clientCertificate: { certFile: pemFile, keyFile: pemFile }
        }
      }
      const out = join(folder, "out")
      const args = ["run", "-p", writeProfile(folder, behind), "--out", out, "--only", "OWN-04", "--quiet"]
      const given = { ...environment, CONF_KEY: "key 1" }
      assert.strictEqual((yield* command(args, given)).code, 1)
      const codes = Effect.forEach([given, { ...given, CONF_KEY: "another" }], (one) =>
        scriptCode(join(out, "repro", "OWN-04.sh"), one)
      )
      assert.deepStrictEqual(yield* codes, [1, 2])
      assert.notStrictEqual(yield* scriptCode(join(out, "repro", "OWN-04.sh"), environment), 0)
      assert.deepStrictEqual(yield* left, [])
    })
  )
})

const pemFile = fileURLToPath(new URL("../../../test/fixtures/localhost.pem", import.meta.url))

/** A gateway in front of a port, for the lifetime of the scope. */
const gateway = (port: number) => {
  const pem = readFileSync(pemFile)
  const server = https.createServer({ cert: pem, key: pem, ca: pem, requestCert: true }, (request, response) => {
    const [, path] = /^\/tenants\/t1(\/.*)$/.exec(request.url ?? "") ?? []
    const { "x-api-key": key, "x-plain": plain } = request.headers
    if (path === undefined || key !== "key 1" || plain !== "it's") return response.writeHead(404).end()
    const headers = { ...request.headers, host: hosts.first }
    const forwarded = http.request({ port, path, method: request.method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 0, answer.headers)
      answer.pipe(response)
    })
    return request.pipe(forwarded)
  })
  return Effect.acquireRelease(
    Effect.callback<number>((resume) => {
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        resume(Effect.succeed(typeof address === "object" && address !== null ? address.port : 0))
      })
    }),
    () =>
      Effect.sync(() => {
        server.closeAllConnections()
        server.close()
      })
  )
}
