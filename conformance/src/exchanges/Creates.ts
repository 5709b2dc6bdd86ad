import { idOf, workerField } from "../calls/Reading.ts"
import type { JudgedRuleId } from "../catalogue/Catalogue.ts"
import * as Expect from "../judgement/Expect.ts"
import { groupPathOf, usualTypes } from "../profile/Groups.ts"
import type { Profile } from "../profile/Profile.ts"
import { newerRoot } from "../profile/Roots.ts"
import { type Exchange, isIn, statusOf } from "../wire/Exchange.ts"
import { isCall, originOf, pathOf, sentBy } from "./Envelope.ts"
import type { ExchangeRule } from "./ExchangeRule.ts"

/** A create that was answered with success, and the entity type. */
interface Create {
  readonly entity: string
  readonly exchange: Exchange
  readonly id: string | undefined
  readonly origin: string
}

/** A cache: many rules ask for the types of a profile's paths. */
const types = new WeakMap<Profile, ReadonlyMap<string, string>>()

/** The entity types by the path of their group. Personal tokens and clients are creates too. */
const typesByPath = (profile: Profile): ReadonlyMap<string, string> => {
  const known = types.get(profile)
  if (known !== undefined) return known
  const found = new Map(
    usualTypes(profile).flatMap((entity) => {
      const path = groupPathOf(profile, entity)
      return path === undefined ? [] : [[`${newerRoot}${path}`, entity] as const]
    })
  )
  types.set(profile, found)
  return found
}

const isPost = (exchange: Exchange): boolean =>
  exchange.request.method === "POST" && isIn(exchange, 2) && isCall(exchange)

const createsIn = (exchanges: ReadonlyArray<Exchange>, profile: Profile): ReadonlyArray<Create> => {
  const entities = typesByPath(profile)
  return exchanges.flatMap((exchange) => {
    const entity = entities.get(pathOf(exchange))
    if (entity === undefined) return []
    return [{ entity, exchange, id: idOf(Expect.valueAt(exchange, "data")), origin: originOf(exchange) }]
  })
}

/** The rule about the answer to a create. */
const ruleOf = ({ entity }: Create): JudgedRuleId =>
  entity === "worker" ? "WRK-02" : entity === "credential" ? "CRD-01" : "ENV-11"

/** The rule about new ids. */
const freshRuleOf = ({ entity }: Create): JudgedRuleId =>
  entity === "worker" ? "WRK-04" : entity === "credential" ? "CRD-03" : "ENV-11"

/** The unescaped end of a path: the id in a URL or a `Location`. */
export const lastOf = (location: string): string => {
  const path = location.split(/[?#]/)[0] ?? ""
  const last = path.replace(/\/+$/, "").split("/").at(-1) ?? ""
  try {
    return decodeURIComponent(last)
  } catch {
    return last
  }
}

const prefixOf = (id: string): string => /^[a-z]+_/.exec(id)?.[0] ?? ""

/** The `Location` does not name another resource of the type. Its form is open (SIL-29). */
const namesNoOther = ({ exchange, id = "" }: Create, others: ReadonlySet<string>): Expect.Met => {
  const last = lastOf(Expect.headerOf(exchange, "location") ?? "")
  const prefix = prefixOf(id)
  const isOther = last !== id && (others.has(last) || (prefix !== "" && last.startsWith(prefix)))
  return isOther ? Expect.difference(exchange, "wrong-value", "header location", `the place of ${id}`, last) : []
}

/** 201 with a `Location` and a resource with an id. */
const isMade = (create: Create, others: ReadonlySet<string>): Expect.Met => {
  const { exchange } = create
  const wrong = Expect.status(exchange, 201)
  return wrong.length > 0
    ? wrong
    : [
        ...Expect.header(exchange, "location", (header) => header.trim() !== "", "the resource's URL"),
        ...Expect.type(exchange, "data.id", "non-empty string"),
        ...namesNoOther(create, others)
      ]
}

const idsByType = (creates: ReadonlyArray<Create>): ReadonlyMap<string, ReadonlySet<string>> => {
  const ids = new Map<string, Set<string>>()
  for (const { entity, id, origin } of creates) {
    if (id === undefined) continue
    const own = ids.get(`${origin} ${entity}`) ?? new Set()
    ids.set(`${origin} ${entity}`, own.add(id))
  }
  return ids
}

/** Creates whose ids were returned before. Codes do not count, because the caller chooses them. */
const repeated = (creates: ReadonlyArray<Create>): Expect.Met => {
  const seen = new Set<string>()
  return creates.flatMap(({ entity, exchange, id, origin }) => {
    if (id === undefined || entity === "complianceCheck" || statusOf(exchange) !== 201) return []
    const key = `${origin} ${entity} ${id}`
    if (seen.has(key)) return Expect.difference(exchange, "repeated", "body.data.id", "another id", id)
    seen.add(key)
    return []
  })
}

/** The rules about creates, for the creates of their types. */
const about = (
  rule: JudgedRuleId,
  isOwn: (create: Create) => boolean,
  differences: (creates: ReadonlyArray<Create>, all: ReadonlyArray<Create>) => Expect.Met
): ExchangeRule => ({
  rule,
  appliesTo: (exchange, profile) => isPost(exchange) && createsIn([exchange], profile).some(isOwn),
  judge: (exchanges, all, profile) =>
    differences(createsIn(exchanges, profile), createsIn(all.filter(isPost), profile)),
  whenUnseen: "nothing"
})

const madeRule = (rule: JudgedRuleId): ExchangeRule =>
  about(
    rule,
    (create) => ruleOf(create) === rule,
    (creates, all) => {
      const ids = idsByType(all)
      return creates.flatMap((create) => isMade(create, ids.get(`${create.origin} ${create.entity}`) ?? new Set()))
    }
  )

const freshRule = (rule: JudgedRuleId): ExchangeRule => about(rule, (create) => freshRuleOf(create) === rule, repeated)

const prefixRule = (rule: JudgedRuleId, entity: string, prefix: string): ExchangeRule =>
  about(
    rule,
    (create) => create.entity === entity,
    (creates) =>
      creates.flatMap(({ exchange }) =>
        Expect.matches(exchange, "data.id", new RegExp(`^${prefix}.+$`, "s"), `${prefix} and more`)
      )
  )

/** A created worker shows the external id that was sent. */
const showsSent = ({ exchange }: Create): Expect.Met => {
  const sent = workerField(sentBy(exchange), "source.externalId")
  const shown = workerField(Expect.valueAt(exchange, "data"), "source.externalId")
  return typeof sent === "string" ? Expect.same(exchange, "body.data.source.externalId", sent, shown) : []
}

/** Rules about every create of a run. */
export const createRules: ReadonlyArray<ExchangeRule> = [
  ...(["WRK-02", "CRD-01", "ENV-11"] as const).map(madeRule),
  ...(["WRK-04", "CRD-03", "ENV-11"] as const).map(freshRule),
  prefixRule("WRK-03", "worker", "wkr_"),
  prefixRule("CRD-03", "credential", "cred_"),
  prefixRule("CRD-10", "applicant", "app_"),
  about(
    "CRD-02",
    ({ entity }) => entity === "credential",
    (creates) => creates.flatMap(({ exchange }) => Expect.type(exchange, "meta.correlationId", "non-empty string"))
  ),
  about(
    "WRK-14",
    ({ entity }) => entity === "worker",
    (creates) => creates.flatMap(showsSent)
  )
]
