/** The container engine that `npm run containers` uses, and the images that it builds on. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { type ContainerEngine, findContainerEngine, hasImage, missing } from "@wcs/store-suite/postgres/ContainerEngine"
import { usualImage } from "@wcs/store-suite/postgres/TestPostgres"

export interface Machine {
  readonly engine: ContainerEngine
  /** An image with Node and npm. */
  readonly base: string
  readonly postgres: string
  /** Ends the engine if it was started here. */
  readonly end: () => void
}

/** The images that the set-up script creates for machines without an image registry. */
const local = { base: "localhost/wcs-base:bookworm", postgres: "localhost/wcs-postgres:18.4.0" }

/** The default of the Dockerfile's argument, and the image in compose.yaml. */
export const published = () => {
  const [, base = ""] =
    /^ARG BASE=(.+)$/m.exec(readFileSync(new URL("../../../../apps/wcs/deploy/Dockerfile", import.meta.url), "utf8")) ??
    []
  return { base, postgres: usualImage }
}

const configuration = fileURLToPath(new URL("./containers.conf", import.meta.url))

interface Served {
  readonly engine: ContainerEngine
  readonly end: () => void
}

/** Serves Docker's API by Podman until ended; undefined if Podman is not installed. */
const servePodman = async (): Promise<Served | undefined> => {
  const folder = mkdtempSync(join(tmpdir(), "wcs-podman-"))
  const host = `unix://${join(folder, "podman.sock")}`
  const podman = spawn("podman", ["system", "service", "--time=0", host], {
    stdio: "ignore",
    env: { CONTAINERS_CONF: configuration, ...process.env }
  })
  const end = () => {
    podman.kill()
    rmSync(folder, { recursive: true, force: true })
  }
  process.once("exit", end)
  const ended = Promise.race([once(podman, "error"), once(podman, "exit")]).then(() => true)
  for (let attempt = 0; attempt < 100; attempt++) {
    const engine = await findContainerEngine({ DOCKER_HOST: host })
    if (engine !== undefined) return { engine, end }
    if (await Promise.race([ended, setTimeout(100, false)])) break
  }
  end()
  return undefined
}

/** The engine and its base images, or the reason why this machine cannot run the container tests. */
export const prepare = async (pullMillis = 300_000): Promise<Machine | string> => {
  const found = await findContainerEngine()
  const served = found === undefined ? await servePodman() : { engine: found, end: () => {} }
  if (served === undefined) return "no container engine answers"
  const { end, engine } = served
  const images = (await hasImage(engine, local.base)) ? local : published()
  const { WCS_CONTAINERS_BASE: base = images.base, WCS_TEST_POSTGRES_IMAGE: postgres = images.postgres } = process.env
  for (const image of [base, postgres]) {
    const reason = await missing(engine, image, { answerMillis: 5_000, pullMillis })
    if (reason !== undefined) {
      end()
      return `${engine.name} cannot provide the image ${image}: ${reason}`
    }
  }
  return { engine, base, postgres, end }
}
