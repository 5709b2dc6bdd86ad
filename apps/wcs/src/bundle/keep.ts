/** Keeps a bundle of the current sources: `node keep.ts <folder>`. `start.mjs` runs it when the sources have changed. */
import { createHash } from "node:crypto"
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises"
import { join, relative } from "node:path"
import { write } from "./Bundle.ts"
import { root } from "./ProgramBundle.ts"

/** The number of bundles to keep. A server that still runs on a removed one may fail to import a part of it later. */
const keptMax = 3

/** An unfinished bundle older than this was left by a process that was killed. */
const makingMillisMax = 10 * 60_000

const [folder] = process.argv.slice(2)
if (folder === undefined) throw new Error("keep.ts needs the folder of the bundles")

/** All files that the bundle may depend on. The lock file stands for the dependencies. */
const sourcesOf = async (): Promise<ReadonlyArray<string>> => {
  const places = await Promise.all(
    ["packages", "apps"].map(async (group) => (await readdir(join(root, group))).map((name) => join(root, group, name)))
  )
  const found = await Promise.all(
    places.flat().map(async (place) => {
      const files = await readdir(join(place, "src"), { recursive: true, withFileTypes: true }).catch(() => [])
      const sources = files.filter((file) => file.isFile()).map(({ name, parentPath }) => join(parentPath, name))
      return sources.length === 0 ? [] : [join(place, "package.json"), ...sources]
    })
  )
  return [join(root, "pnpm-lock.yaml"), ...found.flat().sort()]
}

/** The hash of all sources, and the state of each file before it was read, in the form of `start.mjs`. */
const read = async () => {
  const hash = createHash("sha256")
  const states: Record<string, string> = {}
  for (const path of await sourcesOf()) {
    const { ctimeMs, mtimeMs, size } = await stat(path)
    const name = relative(root, path)
    states[name] = `${size} ${mtimeMs} ${ctimeMs}`
    const content = await readFile(path)
    hash.update(`${name} ${content.length}\n`).update(content)
  }
  return { name: hash.digest("hex").slice(0, 32), states }
}

/** Makes the bundle in a folder of its own first, so that no process sees half of it. */
const make = async (name: string): Promise<void> => {
  const making = await mkdtemp(join(folder, "making-"))
  try {
    await write(making)
    if ((await read()).name !== name) throw new Error("the sources changed while they were bundled")
    await rename(making, join(folder, name)).catch(async (error) => {
      if (!(await isKept(name))) throw error // otherwise another process was faster
    })
  } finally {
    await rm(making, { recursive: true, force: true })
  }
}

const isKept = (name: string): Promise<boolean> =>
  stat(join(folder, name, "main.js")).then(
    () => true,
    () => false
  )

/** Removes all bundles but the latest, and the files that killed processes left. */
const prune = async (current: string): Promise<void> => {
  const entries = await Promise.all(
    (await readdir(folder, { withFileTypes: true }))
      .filter((entry) => entry.isDirectory() && entry.name !== current)
      .map(async ({ name }) => ({ name, millis: (await stat(join(folder, name))).mtimeMs }))
  )
  const [unfinished, finished] = [entries.filter(isUnfinished), entries.filter((entry) => !isUnfinished(entry))]
  const old = finished.sort((a, b) => b.millis - a.millis).slice(keptMax - 1)
  const left = unfinished.filter(({ millis }) => millis < Date.now() - makingMillisMax)
  for (const { name } of [...old, ...left]) await rm(join(folder, name), { recursive: true, force: true })
}

const isUnfinished = ({ name }: { readonly name: string }): boolean => name.startsWith("making-")

await mkdir(folder, { recursive: true })
const { name, states } = await read()
if (!(await isKept(name))) await make(name)
const index = join(folder, `index-${process.pid}`)
await writeFile(index, JSON.stringify({ name, states }))
await rename(index, join(folder, "index.json"))
await prune(name)
