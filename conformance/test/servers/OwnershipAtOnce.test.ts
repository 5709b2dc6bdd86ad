import { assert, describe, it } from "@effect/vitest"
import type { Profile } from "@wcs/conformance/profile/Profile"
import { at, parse } from "@wcs/conformance/text/Json"
import { raceWalks } from "@wcs/conformance/walks/ownership/OwnershipRaces"
import { sequenceWalks } from "@wcs/conformance/walks/ownership/OwnershipSequences"
import type { Answer, Request } from "@wcs/conformance/wire/Exchange"
import { NoAnswer } from "@wcs/conformance/wire/Wire"
import { Effect } from "effect"
import { answer, inTime, lineOf, profile as plain, runOver, type Serve } from "../Invented.ts"

interface Slots {
  worker: string | null
  applicant: string | null
}

type Slot = keyof Slots

const other = (slot: Slot): Slot => (slot === "worker" ? "applicant" : "worker")

/** A second implementation of the table: the answer and the new slots. */
const act = (slots: Slots, verb: string, body: ReturnType<typeof parse>): Answer => {
  const said = (path: string): string => String(at(body, path))
  const conflict = (code: string) => answer(409, { error: { code, message: "", requestId: "r" } })
  const from = verb === "transfer" ? "from." : ""
  const slot: Slot = said(`${from}type`) === "worker" ? "worker" : "applicant"
  const holder = slots[slot]
  const id = said(`${from}id`)
  if (verb === "link") {
    if (holder !== null && holder !== id) return conflict("ALREADY_LINKED")
    slots[slot] = id
  } else if (verb === "unlink") {
    if (holder === null) return answer(200, { data: {} })
    if (holder !== id) return conflict("OWNER_MISMATCH")
    if (slots[other(slot)] === null) return answer(422, {})
    slots[slot] = null
  } else {
    if (said("to.type") !== slot) return answer(400, {})
    if (holder === said("to.id")) return answer(200, { data: {} })
    if (holder !== id) return conflict("OWNER_MISMATCH")
    slots[slot] = said("to.id")
  }
  return answer(200, { data: {} })
}

/** A bulk transfer: an item for each named credential, or for all that `from` owns. */
const actOnAll = (kept: ReadonlyMap<string, Slots>, body: ReturnType<typeof parse>): Answer => {
  const named = at(body, "credentialIds")
  const isHeld = ({ applicant, worker }: Slots): boolean => [applicant, worker].includes(String(at(body, "from.id")))
  const ids = Array.isArray(named) ? named.map(String) : [...kept].flatMap(([id, slots]) => (isHeld(slots) ? [id] : []))
  const items = ids.map((credentialId) => {
    const slots = kept.get(credentialId) ?? { worker: null, applicant: null }
    const before = JSON.stringify(slots)
    const { status } = act(slots, "transfer", body)
    const done = before === JSON.stringify(slots) ? "noop" : "transferred"
    return { credentialId, status: status === 200 ? done : "skipped" }
  })
  return answer(200, { data: items, meta: { total: items.length } })
}

/** A deployment with workers, applicants and owned credentials that serves calls one after another. */
const slotServer = (): Serve => {
  const kept = new Map<string, Slots>()
  let made = 0
  const reply = ({ body, method, url }: Request): Answer => {
    const [group = "", id = "", verb = ""] = new URL(url).pathname.replace("/openapi/v1/", "").split("/")
    const json = parse(body)
    const slots = kept.get(id)
    if (method === "DELETE") return answer(204)
    if (method === "GET") return slots === undefined ? answer(200, { data: [] }) : answer(200, shown(id, slots))
    if (slots !== undefined) return act(slots, verb, json)
    if (id === "transfer") return actOnAll(kept, json)
    if (id !== "") return answer(400, {})
    made += 1
    const fresh = `${group}_${made}`
    const [worker, applicant] = [at(json, "worker"), at(json, "applicant")]
    if (group === "credentials") {
      kept.set(fresh, {
        worker: typeof worker === "string" ? worker : null,
        applicant: typeof applicant === "string" ? applicant : null
      })
    }
    return answer(201, { data: { id: fresh } })
  }
  const shown = (id: string, owners: Slots) => ({ data: { id, attributes: { owners: { ...owners } } } })
  return (request) => Effect.sync(() => reply(request))
}

const profile: Profile = {
  ...plain,
  groups: {
    ...plain.groups,
    credential: {
      create: { body: { worker: "{{worker}}", applicant: "{{applicant}}" } },
      delete: { method: "DELETE", path: "/credentials/{{id}}" }
    }
  }
}

const walks = [...raceWalks, ...sequenceWalks]

const isAbout = (request: Request): boolean => /\/(?:link|unlink|transfer)$/.test(request.url)

describe("concurrent and sequential calls, on an invented deployment", () => {
  it.effect(
    "OWN-17, OWN-18, OWN-19, OWN-23: pass when calls overlap and the final owners follow from the answers",
    () =>
      Effect.gen(function* () {
        const serve = slotServer()
        const late: Serve = (request) => Effect.delay(serve(request), "5 millis")
        const { found } = yield* inTime(runOver({ serve: late, walks, profile }))
        assert.sameMembers(
          [...new Set(found)],
          ["OWN-17", "OWN-18", "OWN-19", "OWN-21", "OWN-23"].map((id) => `${id} pass`)
        )
      })
  )

  it.effect("OWN-17, OWN-18, OWN-19, OWN-23: are inconclusive, never passed, when no calls overlap", () =>
    Effect.gen(function* () {
      const { found } = yield* runOver({ serve: slotServer(), walks: raceWalks, profile })
      assert.sameMembers(
        [...new Set(found)],
        ["OWN-17", "OWN-18", "OWN-19", "OWN-23"].map((id) => `${id} inconclusive`)
      )
    })
  )

  it.effect("OWN-17, OWN-21: have no verdict and no failure without answers", () =>
    Effect.gen(function* () {
      const serve = slotServer()
      const lost: Serve = (request) =>
        isAbout(request) ? Effect.fail(new NoAnswer({ silence: "reset", detail: "lost" })) : serve(request)
      const { found } = yield* inTime(runOver({ serve: lost, walks, profile }))
      assert.include(found, "OWN-21 inconclusive")
      for (const one of found) assert.match(one, / (?:inconclusive|blocked)$/)
    })
  )

  it.effect("OWN-21: depend only on the seed", () =>
    Effect.gen(function* () {
      const sentBy = (seed: number) =>
        Effect.map(
          runOver({ serve: slotServer(), walks: sequenceWalks, profile: { ...profile, run: { seed } } }),
          ({ exchanges }) => exchanges.map(({ request }) => `${lineOf(request)} ${request.body}`)
        )
      const [first, again, different] = [yield* sentBy(1), yield* sentBy(1), yield* sentBy(2)]
      assert.deepStrictEqual(again, first)
      assert.notDeepEqual(different, first)
      assert.isBelow(first.length, 500)
    })
  )
})
