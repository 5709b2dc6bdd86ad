import { readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { endpointsOf } from "@wcs/api/Endpoints"
import { NewerSurface, newerRoot } from "@wcs/api/NewerSurface"
import { assert, it } from "vitest"

const source = fileURLToPath(new URL("../src/", import.meta.url))

/** The text of a file, without types of answers and bodies: they make no call. */
const textOf = (name: string): string =>
  readFileSync(source + name, "utf8").replaceAll(/\b(?:Item|Data|Input|ListKind)<["`][^>]*>/g, "")

// ListExport.tsx names the lists that a screen can export, and makes no call of its own.
const files = readdirSync(source, { recursive: true, encoding: "utf8" })
  .filter((name) => /\.tsx?$/.test(name))
  .filter((name) => name !== "listing/ListExport.tsx")

/** The lists whose records change. */
const changing = files.flatMap((name) =>
  [...textOf(name).matchAll(/: RecordKind = \{(?:\s*\.\.\.\w+,)?\s*path: "([a-z-]+)"/g)].map(([, list = ""]) => list)
)

/** The lists that a file names by a variable in its calls. */
const variables: Readonly<Record<string, ReadonlyArray<string>>> = {
  "lists/RecordDialogs.tsx": changing,
  ...Object.fromEntries(
    ["records/Deletion.tsx", "records/Deleted.tsx", "records/Decide.tsx", "records/EditById.tsx"].map((name) => [
      name,
      [...textOf(name).matchAll(/(?:\||=|list:) "([a-z-]+)"/g)].map(([, list = ""]) => list)
    ])
  )
}

/** The calls of a file, such as `GET /workers/:id`. */
const callsOf = (name: string): ReadonlyArray<string> =>
  [...textOf(name).matchAll(/["`]((?:GET|POST|PUT|PATCH|DELETE) \/[^"`\s]+)["`]/g)].flatMap(([, call = ""]) =>
    (variables[name] ?? [])
      .map((list) => call.replace(/\$\{(list|path)\}/, list))
      .flatMap((one) => ["remind", "resend", "cancel"].map((action) => one.replace(/\$\{name\}/, action)))
      .concat(call)
  )

/** Each call of the contract, with the files that use it. */
const table = endpointsOf(NewerSurface).map(({ method, path }) => {
  const call = `${method} ${path.slice(newerRoot.length)}`
  return { call, by: files.filter((name) => callsOf(name).includes(call)) }
})

/** The calls that no screen makes, and why. PUT is left out: screens change single fields by PATCH. */
const withoutScreen: Readonly<Record<string, string>> = {
  "POST /oauth/token": "for programs: people log in",
  "POST /credentials/link": "the screen that moves credentials sends transfers",
  "POST /compliance-checks/:id/evaluate": "the compliance matrix has the same results",
  "GET /bans/:id": "the list has all fields",
  "GET /changes": "for programs that keep a copy",
  "GET /access-tokens/:id": "the list has all fields",
  "GET /api-clients/:id": "the list has all fields",
  "GET /users/:id": "the list has all fields",
  "GET /sessions/:id": "the list has all fields"
}

it("has a screen for every call of the API, except for those with a reason", () => {
  const found = table.filter(({ by, call }) => by.length === 0 && !call.startsWith("PUT "))
  assert.deepStrictEqual(
    found.map(({ call }) => call),
    Object.keys(withoutScreen)
  )
  assert.isAtLeast(table.length - found.length, 80)
})
