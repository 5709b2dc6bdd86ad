import { type Route, routes } from "@wcs/specimen/server/Routes"
import { type Fields, isFields } from "@wcs/specimen/server/World"

// Calls the endpoints of the second server with further queries, forms of bodies, ids, paths and repeats.

/** A call by one caller: the path below the root, and the id in the answer. */
export type Ask = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Readonly<Record<string, string>>
) => Promise<string>

export const uuid = "5f0c2b9e-7a41-4c1d-9d0a-3f2e1b6c8d70"
const ulid = "01ARZ3NDEKTSV4RRFFQ69G5FAV"
const form = { "content-type": "application/x-www-form-urlencoded" }

const queries = [
  ...["externalId=nobody", "ownerExternalId=nobody", "search=nobody", "order=-created", "order=colour", "order=ID%20"],
  ...["pageSize=1", "pageSize=2", "order=created&pageSize=2", "order=colour&pageSize=2", "expand=credentials"],
  ...["abc", "1.5", "", "1e1", "1abc"].map((size) => `pageSize=${size}`)
]

const oddIds = [
  "wkr_",
  "cred_",
  "app_1",
  "cred_1",
  "x%27",
  "x%00",
  "a".repeat(300),
  "%C3%A9",
  "a%2Fb",
  "x*",
  "%20",
  "7",
  "word"
]

const jsons = ["[]", "null", '"x"', "7", "true", "{", "x", "{x}", ""]

const values = ["x", 7, true, ["x"], { x: 1 }, null, ""]

/** Bodies with one value replaced or left out, at every depth. */
const variantsOf = (body: Fields): ReadonlyArray<Fields> =>
  Object.entries(body).flatMap(([name, value]) => {
    const { [name]: _, ...rest } = body
    const inner = isFields(value) ? variantsOf(value).map((one) => ({ ...body, [name]: one })) : []
    return [rest, ...values.map((one) => ({ ...body, [name]: one })), ...inner]
  })

const paths = ["/nowhere", "/workers/x/y", "/workers"]

/** Calls one route in many forms. `pathOf` has the path with an id, and `body` is a right one. */
export const formsOf = async (ask: Ask, route: Route, pathOf: () => Promise<string>, body: Fields | undefined) => {
  const { method } = route
  for (const query of queries) {
    for (const id of [uuid, ulid]) await ask(method, `${await pathOf()}?${query}`, body, { "x-request-id": id })
  }
  for (const path of paths) {
    for (const id of [uuid, ulid]) await ask(method === "GET" ? "PUT" : method, path, undefined, { "x-request-id": id })
  }
  if (body !== undefined) {
    for (const text of jsons) await ask(method, await pathOf(), text, { "x-request-id": uuid })
    const all = { ...body, note: "", correlationId: null }
    for (const variant of [...variantsOf(body), ...variantsOf(all)]) await ask(method, await pathOf(), variant)
    await ask(method, await pathOf(), new URLSearchParams({ displayName: "x" }).toString(), form)
  }
  const path = await pathOf()
  for (const headers of [{}, {}, {}, { "x-request-id": uuid }, { "x-request-id": ulid }]) {
    await ask(method, path, body, headers)
  }
  if (!route.endpoint.includes("{id}")) return
  for (const id of oddIds) await ask(method, (route.endpoint.split(" ")[1] ?? "").replace("{id}", id), body)
}

/** The routes that read resources which another caller made or changed. */
export const readBy = async (ask: Ask, path: string, id: string): Promise<void> => {
  for (const { endpoint, method } of routes) {
    const [, own = ""] = endpoint.split(" ")
    if (own === path || own.startsWith(`${path}/{id}`)) await ask(method, own.replace("{id}", id))
  }
}

/** Batches and single operations that are refused for each reason, and repeated. */
export const refusedOwners = async (ask: Ask, type: "worker" | "applicant"): Promise<void> => {
  const other = type === "worker" ? "applicant" : "worker"
  const worker = () => ask("POST", "/workers", { identity: { displayName: "A" } })
  const applicant = () => ask("POST", "/applicants", { fullName: "A", email: "a@b.c" })
  const make = { worker, applicant }
  const [x, y, z] = [await make[type](), await make[type](), await make[other]()]
  const own = { type, id: x }
  const next = { type, id: y }
  const wrong = [
    undefined,
    7,
    { type },
    { id: x },
    { type: "team", id: x },
    { type: type.toUpperCase(), id: x },
    { type, id: "" },
    { type: other, id: x },
    { type, id: `${x.slice(0, -2)}zz` },
    { type: other, id: z },
    { type, id: z }
  ]
  for (const held of [{ [`${type}Id`]: x }, { [`${type}Id`]: x, [`${other}Id`]: z }, {}]) {
    const id = await ask("POST", "/credentials", { what: "first-aid", ...held })
    for (const one of [...wrong, next, next, own, own]) await ask("POST", `/credentials/${id}/link`, { owner: one })
    for (const one of wrong) {
      await ask("POST", `/credentials/${id}/transfer`, { from: own, to: one })
      await ask("POST", `/credentials/${id}/transfer`, { from: one, to: next })
      await ask("POST", "/credentials/transfer", { from: own, to: one, credentialIds: [id] })
      await ask("POST", "/credentials/transfer", { from: one, to: next, credentialIds: [id] })
      await ask("POST", "/credentials/link", { from: own, target: one, credentialIds: [id] })
    }
    const many = Array.from({ length: 501 }, (_, n) => `cred_${n}`)
    for (const ids of [[id], [], [id, id], ["x", "y"], "x", [7], undefined, many]) {
      for (const _ of [1, 2]) {
        await ask("POST", "/credentials/link", { from: own, target: own, credentialIds: ids })
        await ask("POST", "/credentials/transfer", { from: own, to: own, credentialIds: ids })
        await ask("POST", "/credentials/link", { from: own, target: next, credentialIds: ids })
        await ask("POST", "/credentials/transfer", { from: next, to: own, credentialIds: ids })
      }
    }
    for (const one of [next, next, own, own, own]) await ask("POST", `/credentials/${id}/unlink`, { owner: one })
    for (const _ of [1, 2, 3]) await ask("DELETE", `/credentials/${id}`)
  }
  for (const _ of [1, 2, 3]) await ask("DELETE", `/${type}s/${x}`)
}

/** Lookups by each owner after each operation, and after a refusal. */
export const ownerLookups = async (ask: Ask): Promise<void> => {
  const make = {
    worker: (externalId: string) => ask("POST", "/workers", { identity: { displayName: "A" }, source: { externalId } }),
    applicant: (externalId: string) =>
      ask("POST", "/applicants", { fullName: "A", email: "a@b.c", source: { externalId } })
  }
  for (const [type, other] of [
    ["worker", "applicant"],
    ["applicant", "worker"]
  ] as const) {
    const [x, y, z] = [await make[type](`${type}-x`), await make[type](`${type}-y`), await make[other](`${type}-z`)]
    const id = await ask("POST", "/credentials", { what: "first-aid", [`${other}Id`]: z })
    for (const [operation, body] of [
      ["link", { owner: { type, id: x } }],
      ["transfer", { from: { type, id: x }, to: { type, id: y } }],
      ["unlink", { owner: { type, id: y } }],
      ["link", { owner: { type, id: x } }],
      ["unlink", { owner: { type: other, id: z } }]
    ] as const) {
      await ask("POST", `/credentials/${id}/${operation}`, body)
      for (const name of ["x", "y", "z"]) await ask("GET", `/credentials?ownerExternalId=${type}-${name}`)
    }
  }
  await ask("GET", "/workers?order=colour")
  await ask("GET", "/workers?externalId=worker-x")
}
