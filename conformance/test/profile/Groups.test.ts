import { assert, describe, it } from "@effect/vitest"
import { guardedTypes, readableTypes } from "@wcs/conformance/calls/GuardedCalls"
import { makeFrom, makeParts } from "@wcs/conformance/calls/Resources"
import { judge, walkPart } from "@wcs/conformance/judgement/Judge"
import { walk } from "@wcs/conformance/judgement/Walk"
import { findPathOf, groupPathOf, makeableTypesOf } from "@wcs/conformance/profile/Groups"
import type { Group, Limited, Profile } from "@wcs/conformance/profile/Profile"
import { Effect } from "effect"
import { keeping, lineOf, profile, runOver } from "../Invented.ts"

const body: Group = { create: { body: {} } }

const telling = (groups: Readonly<Record<string, Group>>, run: Profile["run"] = {}): Profile => ({
  ...profile,
  groups: { ...profile.groups, ...groups },
  run
})

const about = { name: "workers/one", judges: ["WRK-03"], impact: "create", needs: [] } as const

describe("the groups that a profile describes", () => {
  it("allow a create when the body and the path are known", () => {
    const groups = { exemption: body, ban: { path: "/bans" }, house: body, tree: { ...body, path: "/trees" } }
    assert.deepStrictEqual(makeableTypesOf(telling(groups)), ["worker", "credential", "applicant", "exemption", "tree"])
    const { groups: _, ...least } = profile
    assert.deepStrictEqual(makeableTypesOf(least), ["worker"])
    assert.deepStrictEqual(
      ["worker", "exemption", "tree", "house"].map((type) => groupPathOf(telling(groups), type)),
      ["/workers", "/exemptions", "/trees", undefined]
    )
  })

  it("DEL-06: include compliance checks only when the ceiling allows irreversible changes", () => {
    const groups = { complianceCheck: { ...body, path: "/compliance-checks" } }
    for (const ceiling of ["create", "mutate-own"] as const) {
      assert.notInclude(makeableTypesOf(telling(groups, { ceiling })), "complianceCheck")
    }
    for (const ceiling of ["irreversible", "exhaust"] as const) {
      assert.include(makeableTypesOf(telling(groups, { ceiling })), "complianceCheck")
    }
  })

  it("find resources by name with the profile's list, and workers with that of §4.2", () => {
    const groups = { tree: { find: "/trees?name=a%20{{unique}}" } }
    assert.strictEqual(findPathOf(telling(groups), "tree", "b c"), "/trees?name=a%20b%20c")
    assert.strictEqual(findPathOf(profile, "worker", "b c"), "/workers?externalId=b%20c")
    assert.isUndefined(findPathOf(profile, "credential", "b"))
  })

  it.effect("PRV-06: are checked for privileges when they are in the table or a principal has privileges on them", () =>
    Effect.gen(function* () {
      const seen: Array<ReadonlyArray<string>> = []
      const limited: ReadonlyArray<Limited> = [{ token: "${ADMIN}", privileges: { tree: [] } }]
      const groups = { exemption: body, tree: { ...body, path: "/trees" }, house: { ...body, path: "/houses" } }
      const told = telling({ ...groups, ban: { path: "/bans" } })
      const steps = Effect.gen(function* () {
        seen.push(yield* guardedTypes, yield* readableTypes)
        yield* judge("WRK-03", [], [])
      })
      const given = { ...told, principals: { ...told.principals, limited } }
      yield* runOver({ ...keeping(), walks: [walk(about)(steps)], profile: given })
      const [made = [], read = []] = seen
      assert.deepStrictEqual(made, ["worker", "credential", "exemption", "tree"])
      assert.sameMembers([...read], ["worker", "credential", "exemption", "tree", "ban"])
    })
  )
})

/** Creates a resource of a group. Returns the requests: creates and deletes. */
const making = (type: string, told: Profile) => {
  const steps = Effect.gen(function* () {
    yield* makeFrom(type, yield* makeParts(type))
    yield* judge("WRK-03", [], [])
  })
  return runOver({ ...keeping(), walks: [walk(about)(steps)], profile: told })
}

const deleted = (path: string) => ({ delete: { method: "DELETE" as const, path: `${path}/{{id}}` } })

describe("a resource of another group", () => {
  const groups = {
    check: {
      path: "/checks",
      create: { body: { name: "{{unique}}", of: "{{applicant}}", pack: "{{pack}}" } },
      ...deleted("/checks")
    },
    pack: { path: "/packs", create: { body: { for: "{{worker}}" } }, ...deleted("/packs") }
  }

  it.effect("is created after the resources in its body, and deleted before them", () =>
    Effect.gen(function* () {
      const { exchanges, found, residue } = yield* making("check", telling(groups))
      const lines = exchanges.map(({ request }) => lineOf({ ...request })).filter((line) => !line.startsWith("GET"))
      assert.deepStrictEqual(lines, [
        ...["POST /applicants", "POST /workers", "POST /packs", "POST /checks"],
        ...["DELETE /checks/checks_4", "DELETE /packs/packs_3", "DELETE /applicants/applicants_1"],
        "DELETE /workers/workers_2"
      ])
      const [made] = exchanges.filter(({ request }) => lineOf({ ...request }) === "POST /checks")
      assert.deepInclude(JSON.parse(made?.request.body ?? ""), { of: "applicants_1", pack: "packs_3" })
      assert.deepStrictEqual([found, residue], [["WRK-03 pass"], []])
    })
  )

  it.effect("cannot be created when bodies refer to each other", () =>
    Effect.gen(function* () {
      const pack = { path: "/packs", create: { body: { for: "{{check}}" } } }
      const { findings } = yield* making("check", telling({ ...groups, pack }))
      assert.deepInclude(findings[0], {
        outcome: "blocked",
        reason: "the profile's bodies of pack and check refer to each other"
      })
    })
  )

  it.effect("cannot be created when its body refers to a type without a body", () =>
    Effect.gen(function* () {
      const pack = { path: "/packs", create: { body: { for: "{{tree}}" } } }
      const { exchanges, findings } = yield* making("pack", telling({ pack }))
      assert.deepInclude(findings[0], {
        outcome: "blocked",
        reason: "the profile's bodies of pack use {{tree}}, but the profile has no create body for it"
      })
      assert.isFalse(exchanges.some(({ request }) => request.method === "POST"))
    })
  )

  it.effect("blocks only its own rules when it cannot be created", () =>
    Effect.gen(function* () {
      const steps = Effect.gen(function* () {
        yield* walkPart(["WRK-03"], Effect.asVoid(makeFrom("house", {})))
        yield* judge("WRK-04", [], [])
      })
      const { found } = yield* runOver({
        ...keeping(),
        walks: [walk({ ...about, judges: ["WRK-03", "WRK-04"] })(steps)]
      })
      assert.deepStrictEqual(found, ["WRK-03 blocked", "WRK-04 pass"])
    })
  )

  it.effect("does not belong to the run when the response to its create has only another name", () =>
    Effect.gen(function* () {
      const { kept, serve } = keeping()
      const old = { data: { id: "packs_old", name: "somebody's", note: "theirs" } }
      const answering: typeof serve = (request) =>
        request.method === "POST" && request.url.endsWith("/packs")
          ? Effect.succeed({ status: 200, headers: {}, text: JSON.stringify(old), json: old })
          : serve(request)
      const pack = {
        path: "/packs",
        create: { body: { name: "{{unique}}", note: "of {{unique}}" } },
        ...deleted("/packs")
      }
      const steps = Effect.asVoid(makeFrom("pack", {}))
      const { exchanges, findings } = yield* runOver({
        serve: answering,
        walks: [walk(about)(steps)],
        profile: telling({ pack })
      })
      assert.strictEqual(findings[0]?.reason, "prerequisite failed: a create returned an existing resource")
      assert.isFalse(exchanges.some(({ request }) => request.method === "DELETE"))
      assert.strictEqual(kept.size, 0)
    })
  )
})
