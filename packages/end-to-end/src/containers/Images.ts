/** Builds the images of this repository like `docker build`, and inspects them. */
import { execFileSync, spawn } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { buffer, text } from "node:stream/consumers"
import { fileURLToPath } from "node:url"
import type { ContainerEngine } from "@wcs/store-suite/postgres/ContainerEngine"

export const root = fileURLToPath(new URL("../../../..", import.meta.url))

/** What the tests of a run share. */
interface Prepared {
  /** The engine's address, in the form of `DOCKER_HOST`. */
  readonly host: string
  /** The short run for CI: containers are killed less often, and the image of the conformance suite is not built. */
  readonly isBrief: boolean
  readonly base: string
  readonly postgres: string
  /** The images that the Dockerfile and compose.yaml name. */
  readonly usual: { readonly base: string; readonly postgres: string }
  /** Two versions of the image of this workspace. */
  readonly current: string
  readonly next: string
  /** Secrets in the build context that must not be in an image. */
  readonly planted: ReadonlyArray<string>
}

declare module "vitest" {
  interface ProvidedContext {
    readonly containers: Prepared
  }
}

/** A folder that is removed when the process ends. */
export const scratch = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "wcs-containers-"))
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** A copy of all files that git tracks or would add, with further files that must not reach an image. */
export const workspaceWith = (files: Readonly<Record<string, string>>): string => {
  const folder = scratch()
  const listed = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], { cwd: root })
  for (const path of new Set(listed.toString().split("\0"))) {
    if (path !== "") cpSync(join(root, path), join(folder, path), { preserveTimestamps: true })
  }
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
  return folder
}

export interface Build {
  readonly context: string
  readonly dockerfile: string
  readonly tag: string
  readonly args: Readonly<Record<string, string>>
}

interface Progress {
  readonly stream?: string
  readonly error?: string
}

/**
 * Builds an image, without the engine's cache: Podman 4.3 would take a label from the build of another VERSION. A failure
 * has the engine's whole log.
 */
export const build = async ({ client }: ContainerEngine, { args, context, dockerfile, tag }: Build): Promise<void> => {
  const tar = spawn("tar", ["-C", context, "-c", "."], { stdio: ["ignore", "pipe", "inherit"] })
  const progress = await client.buildImage(tar.stdout, { t: tag, dockerfile, nocache: true, buildargs: { ...args } })
  const log: Array<Progress> = await new Promise((resolve, reject) => {
    client.modem.followProgress(progress, (error, steps) => (error === null ? resolve(steps) : reject(error)))
  })
  if (log.some(({ error }) => error !== undefined)) {
    throw new Error(`${tag} was not built:\n${log.map(({ error, stream }) => error ?? stream ?? "").join("")}`)
  }
}

/** Everything that an image adds to its base, by path from `/`. */
export const added = async (engine: ContainerEngine, image: string, base: string): Promise<ReadonlyArray<string>> => {
  const before = new Set(await paths(engine, base))
  return (await paths(engine, image)).filter((path) => !before.has(path))
}

const paths = async ({ client }: ContainerEngine, image: string): Promise<ReadonlyArray<string>> => {
  const container = await client.createContainer({ Image: image, Cmd: ["true"] })
  try {
    const list = spawn("tar", ["-t"], { stdio: ["pipe", "pipe", "inherit"] })
    ;(await container.export()).pipe(list.stdin)
    return (await text(list.stdout)).split("\n").map((path) => path.replace(/^\.?\/*|\/+$/g, ""))
  } finally {
    await container.remove({ force: true })
  }
}

/** The bytes of all layers of an image. */
export const layers = async ({ client }: ContainerEngine, image: string): Promise<Buffer> =>
  buffer(await client.getImage(image).get())
