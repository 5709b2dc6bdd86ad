/**
 * `npm run -s pack -- [--out FOLDER] [wcs] [conformance] [client] [receiver] [register-kit]`: writes npm packages that
 * need no workspace, all five without arguments, and prints their paths.
 */
import { execFileSync } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { parseArgs } from "node:util"
import { writeKit } from "./kit.ts"
import { writeLibrary } from "./library.ts"
import { packed, root } from "./stage.ts"
import { writeSuite } from "./suite.ts"

/** What operators need besides the program, which is all that an image contains. */
const furtherFiles: Readonly<Record<string, string>> = {
  "PACKAGE.md": "README.md",
  "deploy/wcs.service": "deploy/wcs.service",
  "deploy/monitoring": "deploy/monitoring",
  "deploy/DATABASE.md": "deploy/DATABASE.md",
  "deploy/citus.sql": "deploy/citus.sql"
}

const writeCommands = (folder: string): void => {
  execFileSync(process.execPath, [join(root, "apps/wcs/src/bundle/pack.ts"), folder], { stdio: ["ignore", 2, 2] })
  for (const [from, to] of Object.entries(furtherFiles)) {
    cpSync(join(root, "apps/wcs", from), join(folder, to), { recursive: true })
  }
}

/** Writes the files of each package into an empty folder. */
const writers: Readonly<Record<string, (folder: string) => void | Promise<void>>> = {
  wcs: writeCommands,
  conformance: writeSuite,
  client: (folder) => writeLibrary("client", folder),
  receiver: (folder) => writeLibrary("receiver", folder),
  "register-kit": writeKit
}

const refuse = (why: string): never => {
  console.error(`${why}\nUsage: npm run -s pack -- [--out FOLDER] [${Object.keys(writers).join("] [")}]`)
  return process.exit(2)
}

const given = () => {
  try {
    return parseArgs({ allowPositionals: true, options: { out: { type: "string", default: "." } } })
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error))
  }
}

const { positionals, values } = given()
const unknown = positionals.filter((name) => !Object.hasOwn(writers, name))
if (unknown.length > 0) refuse(`There is no package ${unknown.join(", ")}.`)
const out = resolve(values.out)
mkdirSync(out, { recursive: true })
for (const [name, write] of Object.entries(writers)) {
  if (positionals.length > 0 && !positionals.includes(name)) continue
  const staged = mkdtempSync(join(tmpdir(), "wcs-pack-"))
  try {
    await write(staged)
    console.log(await packed(staged, out))
  } finally {
    rmSync(staged, { recursive: true, force: true })
  }
}
