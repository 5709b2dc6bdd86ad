import { readFileSync } from "node:fs"
import { assert, it } from "@effect/vitest"
import { run } from "@wcs/conformance/engine/Run"
import type { Event } from "@wcs/conformance/evidence/Event"
import * as Journal from "@wcs/conformance/evidence/Journal"
import * as NodeWire from "@wcs/conformance/network/NodeWire"
import type { Profile } from "@wcs/conformance/profile/Profile"
import { raceWalks } from "@wcs/conformance/walks/ownership/OwnershipRaces"
import type { Request } from "@wcs/conformance/wire/Exchange"
import { Wire } from "@wcs/conformance/wire/Wire"
import { Serving } from "@wcs/deployment/Serving"
import { Effect, Redacted } from "effect"
import { type Server, twoServers } from "./SharedDatabase.ts"
import { certificateFile, superAdmin } from "./TestServer.ts"
import { limitVariables, raisedLimits } from "./TestService.ts"

/** Concurrent clients, each with its own credential that several calls race for. */
const clients = 64

/** The address of both servers, as the suite sees it. */
const tenantBaseUrl = "https://localhost"

const reference = { type: "{{type}}", id: "{{id}}" }

const profile: Profile = {
  name: "two servers",
  newer: { tenantBaseUrl },
  principals: { admin: { token: "${ADMIN}" } },
  groups: {
    worker: { delete: { method: "DELETE", path: "/workers/{{id}}" } },
    applicant: {
      path: "/applicants",
      create: { body: { displayName: "{{name}}", emailAddress: "{{email}}" } },
      delete: { method: "DELETE", path: "/applicants/{{id}}" }
    },
    credential: {
      create: {
        body: {
          attributes: {
            credentialType: "FIRST_AID",
            identifier: "{{unique}}",
            owners: { worker: "{{worker}}", applicant: "{{applicant}}" }
          }
        }
      },
      delete: { method: "DELETE", path: "/credentials/{{id}}" }
    }
  },
  ownership: { link: reference, unlink: reference },
  run: { concurrency: clients, rounds: 4, requests: 100_000 }
}

/** One race of the suite for each client. */
const walks = Array.from({ length: clients }, (_, number) => raceWalks[number % raceWalks.length]).flatMap(
  (walk, number) => (walk === undefined ? [] : [{ ...walk, name: `${walk.name} ${number}` }])
)

/** Sends requests to the servers in turn. */
const inTurn = Effect.fnUntraced(function* (servers: ReadonlyArray<Server>) {
  const wires = yield* Effect.forEach(
    servers,
    Effect.fnUntraced(function* (server) {
      const ca = readFileSync(yield* Effect.provideContext(certificateFile, server), "utf8")
      const { send } = yield* NodeWire.make({ ca, resolve: { localhost: "127.0.0.1" }, secondsPerCall: 30 })
      const { port } = yield* Effect.provideContext(Serving, server)
      return (request: Request) =>
        send({ ...request, url: `${tenantBaseUrl}:${port}${request.url.slice(tenantBaseUrl.length)}` })
    })
  )
  let turn = 0
  return Wire.of({
    send: (request) =>
      Effect.suspend(() => {
        turn += 1
        const send = wires[turn % wires.length]
        return send === undefined ? Effect.die(new Error("there is no server")) : send(request)
      })
  })
})

it.live(
  `OWN-17, OWN-18, OWN-19, OWN-23, threat 20: one order explains every answer when ${clients} clients race at two servers`,
  () =>
    Effect.gen(function* () {
      const { here, there } = yield* twoServers(limitVariables(raisedLimits))
      const token = yield* Effect.provideContext(superAdmin, here)
      const events: Array<Event> = []
      const judged = run({
        run: "atonce",
        profile,
        secrets: new Map([["${ADMIN}", Redacted.make(token)]]),
        walks,
        exchangeRules: [],
        stop: Effect.never,
        emit: (event) => Effect.sync(() => void events.push(event)),
        learn: () => Effect.void
      })
      yield* judged.pipe(
        Effect.provideService(Wire, yield* inTurn([here, there])),
        Effect.provide(Journal.layerMemory())
      )
      const findings = events.flatMap((event) => (event.type === "finding" ? [event.finding] : []))
      assert.deepStrictEqual(
        findings.filter(({ outcome }) => outcome !== "pass"),
        []
      )
      const judgedRules = Map.groupBy(findings, ({ rule }) => rule)
      assert.sameMembers([...judgedRules.keys()], ["OWN-17", "OWN-18", "OWN-19", "OWN-23"])
      assert.lengthOf(judgedRules.get("OWN-19") ?? [], clients)
    }),
  120_000
)
