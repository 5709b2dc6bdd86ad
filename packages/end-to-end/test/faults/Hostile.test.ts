import { randomInt } from "node:crypto"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { isObject } from "@wcs/domain/shared/Json"
import { type Figures, figuresOf } from "@wcs/end-to-end/faults/Figures"
import { urlForRouter } from "@wcs/http/pipeline/PathMatching"
import * as Contract from "@wcs/store-suite/contract/Contract"
import { Effect } from "effect"
import { ask, bearer, type Reply, serving, temporaryDirectory } from "../Process.ts"
import { connection, posted, requesting, type Send } from "./Connection.ts"
import { described } from "./hostile/Described.ts"
import { type HostileRequest, hostileRequests, type IdsOf } from "./hostile/HostileRequest.ts"
import { injected } from "./Injected.ts"
import { greatest, type Memory, memoryOf } from "./Memory.ts"
import { isFull, randomFrom } from "./Rounds.ts"
import { placeIn } from "./Scene.ts"

const requests = isFull ? 100_000 : 2000
/** Other requests in each short run. A failure names the seed. */
const seed = isFull ? 1 : randomInt(2 ** 31)
const concurrency = 32
/** The number of samples of the server's memory. */
const samples = 40

/** Verify calls return without a wait, so that the requests end soon. */
const settings = { WCS_VERIFY_TIMEOUT: "100ms", WCS_LOG_LEVEL: "error" }

/** One entity of each kind, so that paths and bodies can name it. */
const entities = (send: Send) =>
  Effect.promise(async () => {
    const made = async (path: string, body: unknown) => (await posted(send, path, body)).id
    const worker = await made("/workers", { identity: { displayName: "Ann Example" } })
    const applicant = await made("/applicants", { emailAddress: "ann@example.invalid" })
    const requirement = { credentialTypes: ["FIRST_AID"] }
    const url = "https://receiver.invalid/"
    const owners = { worker, applicant }
    const check = { code: "check", displayName: "First aid", requirement }
    return new Map([
      ["wkr", [worker]],
      ["app", [applicant]],
      ["cred", [await made("/credentials", { attributes: { credentialType: "FIRST_AID", owners } })]],
      ["exm", [await made("/exemptions", { exemptionType: "MEDICAL", worker: { id: worker } })]],
      ["whk", [await made("/webhooks", { name: "hostile", url, events: ["credential.created"] })]],
      ["check", [await made("/compliance-checks", check)]],
      ["package", [await made("/screening-packages", { code: "package", name: "Aged care" })]]
    ])
  })

/** The number of ids kept per prefix. */
const kept = 30

/** The known ids by prefix. Created entities join them. Above the limit, each replaces an older one. */
const growing = (known: Map<string, Array<string>>) => {
  let count = 0
  const idsOf: IdsOf = (prefix) => known.get(prefix) ?? ["none_0000000000000000"]
  const learn = ({ headers: { location }, status }: Reply): void => {
    const [id = "", prefix = ""] = /([a-z]+)_[0-9A-Za-z]{16}$/.exec(location ?? "") ?? []
    if (status !== 201 || id === "") return
    const ids = known.get(prefix) ?? []
    ids[ids.length < kept ? ids.length : 1 + (count++ % (kept - 1))] = id
    known.set(prefix, ids)
  }
  return { idsOf, learn }
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The rules for every response: no 5xx, a request id, and JSON, whose errors name a code. */
const generalFaults = ({ method }: HostileRequest, { headers, status, text }: Reply): ReadonlyArray<string> => {
  const faults: Array<string> = []
  const requestId = String(headers["x-request-id"])
  if (status >= 500) faults.push(`status ${status}`)
  if (!/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/.test(requestId)) faults.push("no request id")
  if (headers["x-injected"] !== undefined) faults.push("an injected header")
  if (method === "HEAD" || status === 204) return text === "" ? faults : [...faults, "a body without need"]
  const json = parsed(text)
  if (!isObject(json)) return [...faults, "a body that is no JSON object"]
  if (status < 400) return faults
  const { error } = json as { readonly error?: unknown }
  if (isObject(error) && (typeof error["code"] !== "string" || error["requestId"] !== requestId)) {
    faults.push("an error without its code or request id")
  }
  return faults
}

/** Whether the document can describe the request: it is for our host, and URL parsers agree on its path. */
const isDescribable = ({ headers, path }: HostileRequest): boolean => {
  const url = `https://localhost${urlForRouter(path)}`
  return headers["host"] === undefined && url.startsWith(`https://localhost${new URL(url).pathname}`)
}

const faultsIn = ({ judge }: Contract.Contract, sent: HostileRequest, reply: Reply): ReadonlyArray<string> => {
  const general = generalFaults(sent, reply)
  if (!isDescribable(sent)) return general
  const headers = Object.fromEntries(Object.entries(reply.headers).map(([name, value]) => [name, String(value)]))
  const judgement = judge({
    method: sent.method,
    url: `https://localhost${urlForRouter(sent.path)}`,
    headerBytes: JSON.stringify(sent.headers).length,
    status: reply.status,
    headers,
    text: reply.text
  })
  return judgement.within ? [...general, ...judgement.differences] : general
}

/** Sends all requests over some connections. Returns the memory of the server after equal shares of them. */
const bombard = async (
  next: () => HostileRequest,
  send: (request: HostileRequest) => Promise<Reply>,
  judged: (request: HostileRequest, reply: Reply) => void,
  sample: () => Promise<Memory>
): Promise<ReadonlyArray<Memory>> => {
  const memory: Array<Memory> = []
  let sent = 0
  const work = async (): Promise<void> => {
    while (sent < requests) {
      if (sent++ % (requests / samples) === 0) memory.push(await sample())
      const request = next()
      judged(request, await send(request))
    }
  }
  await Promise.all(Array.from({ length: concurrency }, work))
  return [...memory, await sample()]
}

const judgeMemory = (figures: Figures, memory: ReadonlyArray<Memory>): void => {
  const [second, last] = [[0.25, 0.5] as const, [0.75, 1] as const]
  const shown = (["used", "resident"] as const).map(
    (of) =>
      `${of} MB ${memory[0]?.[of]} at first, ${greatest(memory, of, second)} in the second quarter, ${greatest(memory, of, last)} in the last`
  )
  figures.notes = [figures.notes, ...shown].join("; ")
  if (!isFull) return
  for (const of of ["used", "resident"] as const) {
    assert.isAtMost(greatest(memory, of, last), greatest(memory, of, second) * 1.2, figures.notes)
  }
}

/** How the fault of a request is shown. */
const shown = ({ content, headers, method, path }: HostileRequest, { status, text }: Reply, faults: string) =>
  `${faults}\n  ${method} ${path.slice(0, 300)} ${JSON.stringify(headers).slice(0, 300)}\n  ${String(content).slice(0, 300)}\n  ${status} ${text.slice(0, 300)}`

describe("hostile requests from the OpenAPI document and beyond it", () => {
  it.live(
    `ENV-12, TRN-07: of ${requests} requests to a server process none is answered 5xx or outside its schema, and its memory stays flat`,
    (context) =>
      Effect.gen(function* () {
        const figures = figuresOf(context, "hostile requests from the OpenAPI document")
        const root = yield* temporaryDirectory
        const { environment, token } = yield* placeIn(root)
        const memoryFile = join(root, "memory")
        const sampled = { ...injected("Memory"), WCS_FAULT_MEMORY: memoryFile }
        const server = yield* serving({ ...environment, ...settings, ...sampled })
        const document = parsed((yield* ask(server, "/openapi.json")).text)
        if (!isObject(document)) return assert.fail("the OpenAPI document is no object")
        const contract = yield* Effect.promise(() => Contract.make(document))
        const { idsOf, learn } = growing(yield* entities(yield* connection(server, token, 1)))
        const next = hostileRequests(randomFrom(seed), described(document), idsOf)
        const statuses = new Map<number, number>()
        const complaints: Array<string> = []
        const memory = yield* Effect.flatMap(requesting(server, concurrency), (send) =>
          Effect.promise(() =>
            bombard(
              next,
              ({ content, headers, method, path }) =>
                send(method, path, { host: "localhost", ...bearer(token), ...headers }, content),
              (request, reply) => {
                learn(reply)
                figures.requests++
                statuses.set(reply.status, (statuses.get(reply.status) ?? 0) + 1)
                const faults = faultsIn(contract, request, reply)
                if (faults.length > 0) complaints.push(shown(request, reply, faults.join("; ")))
              },
              () => memoryOf(server, memoryFile)
            )
          )
        )
        figures.faults = figures.requests
        figures.lost = complaints.length
        figures.survived = figures.requests - figures.lost
        const counts = [...statuses].toSorted(([one], [other]) => one - other).map(([status, n]) => `${n} × ${status}`)
        figures.notes = `seed ${seed}: ${counts.join(", ")}`
        assert.deepStrictEqual(complaints.slice(0, 10), [], figures.notes)
        assert.strictEqual(figures.requests, requests)
        // Checks that the requests reached the intended handlers.
        for (const status of [200, 201, 400, 401, 404, 405, 415])
          assert.isAbove(statuses.get(status) ?? 0, 5, figures.notes)
        judgeMemory(figures, memory)
      }),
    180_000 + requests * 10
  )
})
