import { execFile, execFileSync } from "node:child_process"
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer, type IncomingMessage, type Server } from "node:http"
import { createServer as createTlsServer } from "node:https"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import type { Event } from "@wcs/conformance/evidence/Event"
import type { Finding } from "@wcs/conformance/judgement/Finding"
import type { Profile } from "@wcs/conformance/profile/Profile"
import { wordOf } from "@wcs/conformance/report/Chain"
import { reproOf, reprosOf } from "@wcs/conformance/repro/Repro"
import { quote, word } from "@wcs/conformance/repro/Shell"
import type { Exchange } from "@wcs/conformance/wire/Exchange"
import * as Handles from "@wcs/conformance/wire/Handles"
import { Redacted } from "effect"
import fc from "fast-check"
import { exchangeOf } from "../Exchanges.ts"
import { redRules, redRun } from "../fixtures/RedRun.ts"
import { reported } from "../fixtures/Rendered.ts"

const secret = "s3cr3t/with+odd & characters'\"$HOME"
const token = "eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhZG1pbiJ9.c2lnbmF0dXJlLXRoYXQtc2lnbnM"

/** A small deployment with the given defects. */
const deployment = () => {
  const held = new Map<string, string>()
  const things = new Set<string>()
  const seen: Array<string> = []
  const state = { isWrong: true, isMaking: true, made: 0 }

  const answer = (method: string, path: string, authorization: string, body: string): readonly [number, unknown] => {
    if (path === "/openapi/v1/oauth/token") {
      const form = new URLSearchParams(body)
      return form.get("client_secret") === secret
        ? [200, { access_token: token, token_type: "Bearer", expires_in: 3600 }]
        : [401, { error: "invalid_client" }]
    }
    const isKnown = authorization === `Bearer ${token}`
    if (!isKnown && !(state.isWrong && authorization.startsWith("Bearer eyJ"))) return [401, { message: "no" }]
    const made = /^\/openapi\/v1\/(worker|credential)s$/.exec(path)
    if (method === "POST" && made !== null) {
      if (!state.isMaking) return [400, { error: { code: "BAD_REQUEST" } }]
      state.made += 1
      const id = `${made[1] === "worker" ? "wkr" : "cred"}_${String(state.made).padStart(6, "0")}`
      things.add(id)
      return [201, { data: { echo: JSON.parse(body), id }, meta: { requestId: "r" } }]
    }
    const [, id = "", action] = /^\/openapi\/v1\/\w+\/(\w+)(\/\w+)?$/.exec(path) ?? []
    if (!things.has(id)) return [404, { error: { code: "NOT_FOUND" } }]
    if (method === "DELETE") return [things.delete(id) ? 204 : 404, undefined]
    if (action === "/link") {
      const owner: { readonly id: string } = JSON.parse(body)
      if (!state.isWrong && held.has(id) && held.get(id) !== owner.id) {
        return [409, { error: { code: "ALREADY_LINKED", message: "held" } }]
      }
      held.set(id, owner.id)
    }
    return [200, { data: { id, attributes: { owners: { worker: held.get(id) ?? null, applicant: null } } } }]
  }

  const textOf = async (request: IncomingMessage) => {
    const chunks: Array<Buffer> = []
    for await (const chunk of request) chunks.push(chunk)
    return Buffer.concat(chunks).toString("utf8")
  }

  const server = createServer(async (request, response) => {
    const body = await textOf(request)
    const { authorization = "" } = request.headers
    seen.push(`${request.method} ${request.url} ${body}`)
    const [status, json] = answer(request.method ?? "", request.url ?? "", authorization, body)
    response.writeHead(status, { "content-type": "application/json", "x-request-id": `req-${seen.length}` })
    response.end(json === undefined ? "" : JSON.stringify(json))
  })
  return { server, state, things, seen }
}

const listening = (server: Server, scheme = "http", host = "127.0.0.1") =>
  new Promise<string>((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      resolve(`${scheme}://${host}:${typeof address === "object" && address !== null ? address.port : 0}`)
    })
  })

const one = deployment()
let origin = ""
let folder = ""

beforeAll(async () => {
  origin = await listening(one.server)
  folder = mkdtempSync(join(tmpdir(), "wcs-repro-test-"))
  execFileSync("curl", ["--version"])
})
afterAll(() => {
  one.server.closeAllConnections()
  one.server.close()
  rmSync(folder, { recursive: true })
})

const profile = (): Profile => ({
  name: "small",
  newer: { tenantBaseUrl: origin },
  resolve: { "tenant.example": "127.0.0.1" },
  principals: { admin: { oauth: { clientId: "svc_oauth_1", clientSecret: "${CONF_CLIENT_SECRET}" } } },
  groups: {
    worker: { delete: { method: "DELETE", path: "/workers/{{id}}" } },
    credential: { delete: { method: "DELETE", path: "/credentials/{{id}}" } }
  }
})

/** Sends and records a request of a walk as the suite would. */
const sender = () => {
  let number = 0
  const { answered, derive, filled, know } = Handles.make(
    profile(),
    new Map([["${CONF_CLIENT_SECRET}", Redacted.make(secret)]])
  )
  const known = know("token of admin", token)
  return async (method: string, path: string, more: { readonly json?: unknown; readonly forged?: string } = {}) => {
    number += 1
    const body = more.json === undefined ? "" : JSON.stringify(more.json)
    const headers: ReadonlyArray<readonly [string, string]> = [
      ["Accept", "application/json"],
      ["Authorization", `Bearer ${more.forged === undefined ? known : derive("forgery", known, more.forged)}`],
      ...(body === "" ? [] : [["Content-Type", "application/json"] as const])
    ]
    const url = `${origin}/openapi/v1${path}`
    const sent = await fetch(url, {
      method,
      headers: filled({ method, url, headers, body }).headers.map(([n, v]) => [n, v]),
      ...(body === "" ? {} : { body })
    })
    const answer = { status: sent.status, headers: Object.fromEntries(sent.headers), text: await sent.text() }
    const made = exchangeOf({
      number,
      step: number,
      walk: "ownership/link-another",
      method,
      url,
      headers,
      body,
      answer
    })
    return { ...made, answer: made.answer && answered(made, made.answer) }
  }
}

const idIn = ({ answer }: Exchange): string => JSON.parse(answer?.text ?? "").data.id

const hostileName = `Conformance conf-run1-1 it's "$(touch /tmp/owned)" \`id\` \\ %s {{x}} [1-3] é\n\u0001`

/** A walk that finds OWN-04 broken, and one malformed token that was accepted (AUT-04). */
const recordedRun = async (): Promise<ReadonlyArray<Event>> => {
  const send = sender()
  const first = await send("POST", "/workers", { json: { identity: { displayName: hostileName } } })
  const second = await send("POST", "/workers", { json: { identity: { displayName: "Conformance conf-run1-2" } } })
  const stranger = await send("POST", "/workers", { json: { identity: { displayName: "Conformance conf-run1-3" } } })
  const credential = await send("POST", "/credentials", { json: { type: "card", id: "not taken" } })
  const path = `/credentials/${idIn(credential)}`
  const glance = await send("GET", path)
  const change = await send("POST", `${path}/touch`)
  const control = await send("POST", `${path}/link`, { json: { type: "worker", id: idIn(first) } })
  const probe = await send("POST", `${path}/link`, { json: { type: "worker", id: idIn(second) } })
  const after = await send("GET", path)
  const forged = await send("GET", path, { forged: `${token.slice(0, -1)}x` })
  const exchanges = [first, second, stranger, credential, glance, change, control, probe, after, forged]
  const owners = (worker: string) => ({ worker, applicant: null })
  const findings: ReadonlyArray<Finding> = [
    {
      ...{ rule: "OWN-04", walk: "ownership/link-another", outcome: "fail" },
      exchanges: [control, probe, after].map(({ number }) => number),
      differences: [
        { kind: "status", exchange: probe.number, at: "status", expected: 409, actual: 200 },
        { kind: "missing", exchange: probe.number, at: "body.error.code", expected: "ALREADY_LINKED", actual: null },
        {
          ...{ kind: "changed", exchange: after.number, at: "body.data.attributes.owners" },
          ...{ expected: owners(idIn(first)), actual: owners(idIn(second)) }
        }
      ]
    },
    {
      ...{ rule: "AUT-04", walk: "ownership/link-another", outcome: "fail", exchanges: [after.number, forged.number] },
      differences: [{ kind: "status", exchange: forged.number, at: "status", expected: 401, actual: 200 }]
    }
  ]
  return [
    {
      ...{
        type: "run-started",
        run: "run1",
        suiteVersion: "0",
        catalogueDigest: "0",
        profile: "small",
        deployment: {}
      },
      ...{ target: origin, ceiling: "mutate-own", startedAt: 0, walks: [], only: null }
    },
    ...exchanges.map((exchange): Event => ({ type: "exchange", exchange })),
    ...findings.map((finding): Event => ({ type: "finding", finding })),
    { type: "run-ended", endedAt: 1, ending: { as: "finished" } }
  ]
}

const run = (script: string, environment: Readonly<Record<string, string>>) =>
  new Promise<{ readonly code: number; readonly out: string }>((resolve) => {
    const file = join(folder, "repro.sh")
    writeFileSync(file, script)
    chmodSync(file, 0o700)
    const env = { PATH: process.env["PATH"] ?? "", TMPDIR: folder, ...environment }
    execFile("/bin/sh", [file], { env }, (error, stdout, stderr) =>
      resolve({ code: typeof error?.code === "number" ? error.code : 0, out: `${stdout}${stderr}` })
    )
  })

const ruleOf = (report: ReturnType<typeof reported>, id: string) => {
  const rule = report.rules.find((candidate) => candidate.id === id)
  if (rule === undefined) throw new Error(`${id} is not in the report`)
  return rule
}

const environment = { CONF_CLIENT_SECRET: secret }

describe("a repro script", () => {
  it("OWN-04, AUT-04: reproduces the failure, passes when it is fixed, and has no result when creates fail", async () => {
    const report = reported(await recordedRun())
    one.things.clear()
    const scripts = ["OWN-04", "AUT-04"].map((id) => reproOf(report, ruleOf(report, id), profile()) ?? "")
    assert.isFalse(scripts.some((script) => script.includes(secret) || script.includes(token.slice(-20))))

    const [own = "", forged = ""] = scripts
    const again = await run(own, environment)
    assert.strictEqual(again.code, 1, again.out)
    assert.match(again.out, /expected: +409\n +the run got: 200\n +now: +200\n +NOT as expected/)
    assert.strictEqual([...again.out.matchAll(/NOT as expected/g)].length, 3, again.out)
    const tampered = await run(forged, environment)
    assert.strictEqual(tampered.code, 1, tampered.out)

    one.state.isWrong = false
    const well = await run(own, environment)
    assert.strictEqual(well.code, 0, well.out)
    const refused = await run(forged, environment)
    assert.strictEqual(refused.code, 0, refused.out)

    one.state.isMaking = false
    const unmade = await run(own, environment)
    assert.strictEqual(unmade.code, 2, unmade.out)
    assert.include(unmade.out, "failed; no result")

    const without = await run(own, {})
    assert.notStrictEqual(without.code, 0)
    assert.include(without.out, "CONF_CLIENT_SECRET")

    assert.deepStrictEqual([...one.things], [], "what the scripts made is deleted")
    assert.deepStrictEqual(readdirSync(folder), ["repro.sh"])
  })

  it("contains only the needed requests, with new names", async () => {
    one.state.isWrong = true
    one.state.isMaking = true
    const report = reported(await recordedRun())
    const script = reproOf(report, ruleOf(report, "OWN-04"), profile()) ?? ""
    one.seen.length = 0
    await run(script, environment)
    const paths = one.seen.map((line) => line.split(" ").slice(0, 2).join(" ").replaceAll(/\d{6}/g, "N"))
    assert.deepStrictEqual(paths, [
      "POST /openapi/v1/oauth/token",
      "POST /openapi/v1/workers",
      "POST /openapi/v1/workers",
      "POST /openapi/v1/credentials",
      "POST /openapi/v1/credentials/cred_N/touch",
      "POST /openapi/v1/credentials/cred_N/link",
      "POST /openapi/v1/credentials/cred_N/link",
      "GET /openapi/v1/credentials/cred_N",
      "DELETE /openapi/v1/credentials/cred_N",
      "DELETE /openapi/v1/workers/wkr_N",
      "DELETE /openapi/v1/workers/wkr_N"
    ])
    const made: unknown = JSON.parse(one.seen[1]?.split(" ").slice(2).join(" ") ?? "")
    const { displayName } = Object(Object(made).identity)
    assert.match(String(displayName), /conf-r\d+x\d+-1/)
    assert.strictEqual(String(displayName).replace(/conf-r\d+x\d+-1/, "conf-run1-1"), hostileName)
  })

  it("never expands text of a deployment as a variable or a command", async () => {
    const evil = `x"; touch ${join("/tmp", "owned")}; "`
    const text = JSON.stringify({ data: { id: "wkr_‹HOME›x", [`${evil}Id`]: "abcdefgh", "a/e;Id": "ijklmnop" } })
    const url = `${origin}/openapi/v1/workers`
    const headers = [["Authorization", "Bearer ‹token of admin›"]] as const
    const exchanges = [
      exchangeOf({ number: 1, step: 1, method: "POST", url, headers, body: "{}", answer: { status: 201, text } }),
      exchangeOf({
        ...{ number: 2, step: 2, url: `${url}/wkr_‹HOME›x`, headers },
        body: "abcdefgh ijklmnop ‹PATH› ‹token of ../x› ‹Basic of admin› $HOME $(id)"
      })
    ]
    const [started] = redRun
    const report = reported([
      ...(started === undefined ? [] : [started]),
      ...exchanges.map((exchange): Event => ({ type: "exchange", exchange })),
      {
        type: "finding",
        finding: {
          ...{ rule: "CRD-05", walk: "area/what", outcome: "fail", exchanges: [2] },
          differences: [{ kind: "wrong-value", exchange: 2, at: `body.${evil}`, expected: evil, actual: evil }]
        }
      }
    ])
    const script = reproOf(report, ruleOf(report, "CRD-05"), profile()) ?? ""
    execFileSync("/bin/sh", ["-n"], { input: script })
    assert.notMatch(script, /"\$(HOME|PATH)"/)
    const values = script.split("\n").filter((line) => line.includes("=$(id "))
    assert.deepStrictEqual(values.length, 3)
    assert.isTrue(
      values.every((line) => /^\w+=\$\(id \d+ '[\w.-]+' \d+\)$/.test(line)),
      values.join("\n")
    )
  })

  it("passes a gateway that requires a client certificate, a header and a path prefix", async () => {
    one.state.isWrong = true
    one.state.isMaking = true
    const pemFile = fileURLToPath(new URL("../fixtures/localhost.pem", import.meta.url))
    const pem = readFileSync(pemFile, "utf8")
    const gateway = createTlsServer({ cert: pem, key: pem, ca: pem, requestCert: true }, (request, response) => {
      const [, path] = /^\/tenants\/t1(\/.*)$/.exec(request.url ?? "") ?? []
      if (path === undefined || request.headers["x-api-key"] !== "key 1" || request.headers["x-plain"] !== "it's") {
        return response.writeHead(404).end()
      }
      request.url = path
      return one.server.emit("request", request, response)
    })
    const place = await listening(gateway, "https", "tenant.invalid")
    const behind: Profile = {
      ...profile(),
      newer: { tenantBaseUrl: place, pathPrefix: "/tenants/t1" },
      resolve: { "tenant.invalid": "127.0.0.1" },
      tls: { caFile: pemFile },
      network: {
        headers: { "X-Api-Key": "${CONF_KEY}", "X-Plain": "it's" },
        clientCertificate: { certFile: pemFile, keyFile: pemFile }
      }
    }
    try {
      const events: ReadonlyArray<Event> = JSON.parse(JSON.stringify(await recordedRun()).replaceAll(origin, place))
      const report = reported(events)
      const script = reproOf(report, ruleOf(report, "OWN-04"), behind) ?? ""
      const again = await run(script, { ...environment, CONF_KEY: "key 1" })
      assert.strictEqual(again.code, 1, again.out)
      const without = await run(script, { ...environment, CONF_KEY: "another" })
      assert.strictEqual(without.code, 2, without.out)
      assert.notStrictEqual((await run(script, environment)).code, 0)
    } finally {
      gateway.closeAllConnections()
      gateway.close()
    }
  })

  it("exists for every broken rule and is valid shell", () => {
    const report = reported(redRun, redRules)
    const broken = report.rules.filter(({ verdict }) => verdict === "fail" || verdict === "warn")
    const scripts = reprosOf(report, {
      ...profile(),
      tls: { caFile: "ca.pem" },
      newer: { tenantBaseUrl: "https://tenant.example" }
    })
    assert.deepStrictEqual([...scripts.keys()].toSorted(), broken.map(({ id }) => `repro/${id}.sh`).toSorted())
    for (const [path, script] of scripts) {
      execFileSync("/bin/sh", ["-n"], { input: script })
      assert.include(script, '--cacert "$CA"', path)
      assert.include(script, "--resolve 'tenant.example:443:127.0.0.1'", path)
    }
  })
})

describe("parts of scripts", () => {
  it("finds an id only as a whole word", () => {
    const texts = ["/workers/wkr_12/x", '"wkr_12"', "wkr_123", "wkr_12-3", "awkr_12", "wkr_1"]
    assert.deepStrictEqual(
      texts.map((text) => wordOf("wkr_12").test(text)),
      [true, true, false, false, false, false]
    )
  })
})

describe("shell words", () => {
  const texts = fc
    .string({ unit: "binary", maxLength: 60 })
    .filter((text) => text.isWellFormed() && !text.includes("\0"))
  const shell = (script: string) => execFileSync("/bin/sh", ["-c", script], { env: { part: "it's $(id)" } }).toString()

  it("keeps any text unchanged", () =>
    fc.assert(
      fc.property(
        fc.array(fc.oneof(texts, fc.constantFrom("'", "''", "\\", "$x", "`id`", "-n", "*", "\n", "a'b")), {
          minLength: 20,
          maxLength: 40
        }),
        (many) => {
          assert.strictEqual(
            shell(`printf '<%s>' ${many.map(quote).join(" ")}`),
            many.map((text) => `<${text}>`).join("")
          )
        }
      ),
      { numRuns: 30 }
    ))

  it("expands parts, and does not expand their values again", () =>
    fc.assert(
      fc.property(fc.array(fc.oneof(texts, fc.constant("PART")), { minLength: 10, maxLength: 30 }), (many) => {
        const words = many.map((text) => word(text, /PART/g, () => "$part"))
        const expected = many.map((text) => `<${text.replaceAll("PART", "it's $(id)")}>`)
        assert.strictEqual(shell(`printf '<%s>' ${words.join(" ")}`), expected.join(""))
      }),
      { numRuns: 30 }
    ))
})
