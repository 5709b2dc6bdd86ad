import { readFileSync } from "node:fs"
import { ruleOf } from "@wcs/conformance/catalogue/Catalogue"
import { judge } from "@wcs/conformance/engine/Conformance"
import type { Event } from "@wcs/conformance/evidence/Event"
import type { Finding } from "@wcs/conformance/judgement/Finding"
import { Profile } from "@wcs/conformance/profile/Profile"
import { difference } from "@wcs/conformance/report/Told"
import { Serving } from "@wcs/deployment/Serving"
import { layerTest } from "@wcs/deployment/TestDeployment"
import { operatorUrn } from "@wcs/domain/audit/AuditEntry"
import { AccessStore } from "@wcs/domain/token/AccessStore"
import { Administration } from "@wcs/domain/token/Administration"
import { Users } from "@wcs/domain/user/Users"
import { judgedSettings } from "@wcs/end-to-end/conformance/JudgedSettings"
import { freshDatabase } from "@wcs/store-suite/postgres/FreshDatabase"
import { makeConformance } from "@wcs/wcs/ConformanceProfile"
import { Clock, Context, Effect, Layer, Option, Record, Redacted, References, Schema, Stream } from "effect"

const operator = { account: operatorUrn, bearer: null, requestId: "operator" }
const otherHost = "other.localhost"

/** Creates the second tenant and every principal of a full profile. */
const profiled = Effect.gen(function* () {
  const { certificateFile, port } = yield* Serving
  const [administration, users] = [yield* Administration, yield* Users]
  const [tenant] = yield* AccessStore.use((store) => store.listTenants)
  if (tenant === undefined) return yield* Effect.die(new Error("the first run created no tenant"))
  const otherTenant = yield* Effect.orDie(administration.createTenant("other", [otherHost], operator))
  const place = {
    tenantBaseUrl: `https://localhost:${port}`,
    secondTenantBaseUrl: `https://${otherHost}:${port}`,
    plainHttpUrl: `http://localhost:${port}`,
    resolve: { localhost: "127.0.0.1", [otherHost]: "127.0.0.1" }
  }
  const described = { name: "ours", place, tenant, otherTenant, run: "walks" }
  const made = yield* makeConformance({ administration, users }, operator, described)
  yield* Effect.sleep(Math.max(0, made.readyAt - (yield* Clock.currentTimeMillis)))
  return {
    profile: yield* Effect.orDie(Schema.decodeUnknownEffect(Profile)(made.profile)),
    environment: Record.map(made.secrets, Redacted.value),
    ca: readFileSync(Option.getOrThrow(certificateFile), "utf8")
  }
})

const engine = process.env["WCS_TEST_ENGINE"] ?? "sqlite"
/** The server of production in this process, on SQLite or Postgres. */
const server = Layer.unwrap(
  Effect.gen(function* () {
    const database = engine === "postgres" ? yield* freshDatabase : undefined
    return layerTest({ engine: database, settings: judgedSettings }).pipe(
      Layer.provide(Layer.succeed(References.MinimumLogLevel, "Warn")),
      Layer.orDie
    )
  })
)

/** The events of one run of the whole suite against our server. */
export class Judged extends Context.Service<Judged, ReadonlyArray<Event>>()(
  "@wcs/end-to-end/test/conformance/Judged"
) {}

export const layer = Layer.effect(
  Judged,
  Effect.flatMap(profiled, (options) => Effect.orDie(Stream.runCollect(judge(options))))
).pipe(Layer.provide(Layer.fresh(server)))

const kept: ReadonlyArray<Finding["outcome"]> = ["pass", "observed"]

/** The findings that meet a condition, and a report of each that is neither a pass nor an observation. */
export const found = Effect.fnUntraced(function* (isOne: (finding: Finding) => boolean) {
  const events = yield* Judged
  const findings = events.flatMap((event) => (event.type === "finding" && isOne(event.finding) ? [event.finding] : []))
  const broken = findings.filter(({ outcome }) => !kept.includes(outcome))
  return { findings, broken: broken.map((finding) => told(finding, events)) }
})

/** The rule, the differences and their exchanges. */
const told = ({ differences, outcome, reason = "", rule }: Finding, events: ReadonlyArray<Event>): string => {
  const numbers = new Set(differences.map(({ exchange }) => exchange))
  const exchanges = events.flatMap((event) =>
    event.type === "exchange" && numbers.has(event.exchange.number) ? [event.exchange] : []
  )
  return [
    `${rule} ${outcome}: ${ruleOf(rule)?.text ?? ""} ${reason}`,
    ...differences.map(difference),
    ...exchanges.map(
      ({ answer, number, request: { body, method, url } }) =>
        `#${number} ${method} ${url} ${body} → ${answer?.status} ${answer?.text}`
    )
  ].join("\n  ")
}
