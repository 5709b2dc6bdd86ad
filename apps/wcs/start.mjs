// node start.mjs <arguments of wcs>
//
// Runs `wcs` from a bundle of the sources, which starts in a third of the time and takes half the memory. The first
// start after a change of the sources makes the bundle. If no bundle can be made or kept, this runs the sources.
// Plain JavaScript, because Node takes time and memory to strip types.
import { execFileSync } from "node:child_process"
import { readFileSync, statSync } from "node:fs"
import { fileURLToPath, pathToFileURL } from "node:url"

// Bundles are accessible only to their owner, since they are run.
process.umask(0o077)

const pathOf = (relative) => fileURLToPath(new URL(relative, import.meta.url))
const folder = process.env.WCS_BUNDLES || pathOf("node_modules/.cache/bundles")

const stateOf = (path) => {
  const { ctimeMs, mtimeMs, size } = statSync(path)
  return `${size} ${mtimeMs} ${ctimeMs}` // as src/bundle/keep.ts writes it
}

/** The bundle of the present sources, whose paths begin at the workspace: a copy of it must not look at the original. Throws if there is none. */
const kept = () => {
  const { name, states } = JSON.parse(readFileSync(`${folder}/index.json`, "utf8"))
  for (const [path, state] of Object.entries(states)) {
    if (stateOf(pathOf(`../../${path}`)) !== state) throw new Error(`${path} has changed`)
  }
  statSync(`${folder}/${name}/main.js`)
  return `${folder}/${name}`
}

const bundle = () => {
  try {
    return kept()
  } catch {
    try {
      // in another process, because bundling takes memory that this one would keep
      execFileSync(process.execPath, [pathOf("src/bundle/keep.ts"), folder], { stdio: "ignore" })
      return kept()
    } catch {
      return undefined
    }
  }
}

const found = bundle()
if (found === undefined) await import("./src/main.ts")
else await import(pathToFileURL(`${found}/main.js`).href)
