import { at } from "@wcs/conformance/wire/Json"
import type { Selection } from "@wcs/domain/resource/ListQuery"
import { ResourceStore } from "@wcs/domain/resource/ResourceStore"
import { Effect } from "effect"
import * as Answering from "../Answering.ts"
import type { Mutant } from "../Mutant.ts"
import type { Serve } from "../Serve.ts"
import * as Rewrite from "../seams/Rewrite.ts"
import * as Seams from "../seams/Seams.ts"

const listOfOwner = { method: "GET", path: /^\/credentials\?ownerExternalId=/, status: 200 }

const isOfOwner = ({ conditions }: Selection): boolean => conditions?.some(({ _tag }) => _tag === "HeldBy") ?? false

/** A store that changes the selection of a list by owner. */
const selecting = (change: (selection: Selection) => Selection) =>
  Seams.store(ResourceStore, ({ list }) => ({
    list: (resource, tenantId, selection) =>
      list(resource, tenantId, isOfOwner(selection) ? change(selection) : selection)
  }))

/** A store that lists everything if nothing matches. */
const everythingForNothing = Seams.store(ResourceStore, ({ list }) => ({
  list: (resource, tenantId, selection) =>
    Effect.flatMap(list(resource, tenantId, selection), (page) =>
      isOfOwner(selection) && page.items.length === 0
        ? list(resource, tenantId, { ...selection, conditions: [] })
        : Effect.succeed(page)
    )
}))

/** A filter that also accepts a prefix of the last created name. */
const matching =
  (isMatch: (name: string, asked: string) => boolean) =>
  (serve: Serve): Serve => {
    let last = ""
    return Rewrite.all(
      Rewrite.requests({ method: "POST", path: /^\/workers$/ }, (request) => {
        last = /"externalId":"([^"]+)"/.exec(request.body)?.[1] ?? last
        return request
      }),
      Rewrite.requests(listOfOwner, (request) => {
        const url = new URL(request.url)
        if (isMatch(last, url.searchParams.get("ownerExternalId") ?? "")) url.searchParams.set("ownerExternalId", last)
        return { ...request, url: url.href }
      })
    )(serve)
  }

/** Defects of listing an owner's credentials. */
export const credentialListMutants: ReadonlyArray<Mutant> = [
  {
    name: "owner-filter-shows-one-credential",
    stores: selecting((selection) => ({ ...selection, pageSize: 1 })),
    kills: [{ rule: "CRD-06", kind: "wrong-value", at: "body.data" }]
  },
  {
    name: "owner-filter-knows-no-applicants",
    stores: selecting((selection) => ({
      ...selection,
      conditions: selection.conditions?.map((condition) =>
        condition._tag === "HeldBy"
          ? { ...condition, holders: condition.holders.filter(({ resource }) => resource === "worker") }
          : condition
      )
    })),
    kills: [{ rule: "CRD-06", kind: "wrong-value", at: "body.data" }]
  },
  {
    name: "owner-filter-is-ignored",
    stores: selecting((selection) => ({ ...selection, conditions: [] })),
    kills: [
      { rule: "CRD-06", kind: "wrong-value", at: "body.data" },
      { rule: "CRD-07", kind: "wrong-value", at: "body.data" }
    ]
  },
  {
    name: "owner-filter-has-its-list-one-level-deeper",
    rewrite: Rewrite.answers(
      listOfOwner,
      Rewrite.mapJson((body) => Rewrite.put(body, "data", { items: at(body, "data") ?? [] }))
    ),
    kills: [
      { rule: "CRD-06", kind: "wrong-type", at: "body.data" },
      { rule: "CRD-07", kind: "wrong-type", at: "body.data" }
    ]
  },
  {
    name: "owner-filter-of-nobody-shows-everything",
    stores: everythingForNothing,
    kills: [{ rule: "CRD-07", kind: "wrong-value", at: "body.data" }]
  },
  {
    name: "owner-filter-of-nobody-is-404",
    rewrite: Rewrite.answers(listOfOwner, (answer) =>
      at(answer.json, "data.0") === undefined
        ? Answering.refusal(answer, 404, "NOT_FOUND", "No worker has this external id.")
        : answer
    ),
    kills: [{ rule: "CRD-07", kind: "status", at: "status" }]
  },
  {
    name: "owner-filter-takes-the-beginning-of-a-name",
    rewrite: matching((name, asked) => asked !== "" && name.startsWith(asked)),
    kills: [{ rule: "CRD-07", kind: "wrong-value", at: "body.data" }]
  },
  {
    name: "owner-filter-takes-the-end-of-a-name",
    rewrite: matching((name, asked) => asked !== "" && name.endsWith(asked)),
    kills: [{ rule: "CRD-07", kind: "wrong-value", at: "body.data" }]
  }
]
