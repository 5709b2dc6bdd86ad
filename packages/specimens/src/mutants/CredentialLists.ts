import { at } from "@wcs/conformance/text/Json"
import { ResourceStore } from "@wcs/domain/crud/ResourceStore"
import type { Selection } from "@wcs/domain/resource/ListQuery"
import { Effect } from "effect"
import * as Answering from "../Answering.ts"
import { type Mutant, mutant } from "../Mutant.ts"
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

/** A filter that also accepts a part of the name of a created worker. */
const matching =
  (isMatch: (name: string, asked: string) => boolean) =>
  (serve: Serve): Serve => {
    const names: Array<string> = []
    return Rewrite.all(
      Rewrite.requests({ method: "POST", path: /^\/workers$/ }, (request) => {
        names.push(...(/"externalId":"([^"]+)"/.exec(request.body) ?? []).slice(1))
        return request
      }),
      Rewrite.requests(listOfOwner, (request) => {
        const url = new URL(request.url)
        const asked = url.searchParams.get("ownerExternalId") ?? ""
        const name = names.findLast((one) => isMatch(one, asked))
        if (name !== undefined) url.searchParams.set("ownerExternalId", name)
        return { ...request, url: url.href }
      })
    )(serve)
  }

/** Defects of listing an owner's credentials. */
export const credentialListMutants: ReadonlyArray<Mutant> = [
  mutant("owner-filter-shows-one-credential", "CRD-06 wrong-value at body.data").stores(
    selecting((selection) => ({ ...selection, pageSize: 1 }))
  ),
  mutant("owner-filter-knows-no-applicants", "CRD-06 wrong-value at body.data").stores(
    selecting((selection) => ({
      ...selection,
      conditions: selection.conditions?.map((condition) =>
        condition._tag === "HeldBy"
          ? { ...condition, holders: condition.holders.filter(({ resource }) => resource === "worker") }
          : condition
      )
    }))
  ),
  mutant("owner-filter-is-ignored", ["CRD-06 wrong-value at body.data", "CRD-07 wrong-value at body.data"]).stores(
    selecting((selection) => ({ ...selection, conditions: [] }))
  ),
  mutant("owner-filter-has-its-list-one-level-deeper", [
    "CRD-06 wrong-type at body.data",
    "CRD-07 wrong-type at body.data"
  ]).answers(
    listOfOwner,
    Rewrite.mapJson((body) => Rewrite.put(body, "data", { items: at(body, "data") ?? [] }))
  ),
  mutant("owner-filter-of-nobody-shows-everything", "CRD-07 wrong-value at body.data").stores(everythingForNothing),
  mutant("owner-filter-of-nobody-is-404", "CRD-07 status").answers(listOfOwner, (answer) =>
    at(answer.json, "data.0") === undefined
      ? Answering.refusal(answer, 404, "NOT_FOUND", "No worker has this external id.")
      : answer
  ),
  mutant("owner-filter-takes-the-beginning-of-a-name", "CRD-07 wrong-value at body.data").rewrite(
    matching((name, asked) => asked !== "" && name.startsWith(asked))
  ),
  mutant("owner-filter-takes-the-end-of-a-name", "CRD-07 wrong-value at body.data").rewrite(
    matching((name, asked) => asked !== "" && name.endsWith(asked))
  )
]
