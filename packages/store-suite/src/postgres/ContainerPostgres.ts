import { randomBytes } from "node:crypto"
import { type ContainerEngine, useForTestcontainers } from "./ContainerEngine.ts"
import type { Engine } from "./Engine.ts"

/** Tests need no durability, so no write waits for a disk. */
const usualSettings = ["max_connections=400", "fsync=off", "full_page_writes=off", "synchronous_commit=off"]

/** Starts Postgres from an image, with the environment of the official one, and publishes its port. */
export const startContainerPostgres = async (
  engine: ContainerEngine,
  image: string,
  settings: ReadonlyArray<string> = usualSettings
): Promise<Pick<Engine, "stop" | "url">> => {
  await useForTestcontainers(engine)
  const { GenericContainer, Wait } = await import("testcontainers")
  const password = randomBytes(16).toString("hex")
  const container = await new GenericContainer(image)
    .withEnvironment({ POSTGRES_PASSWORD: password })
    .withCommand(["postgres", ...settings.flatMap((setting) => ["-c", setting])])
    .withExposedPorts(5432)
    // The official image starts Postgres twice. Only the second start listens on TCP.
    .withWaitStrategy(Wait.forSuccessfulCommand("pg_isready --host=127.0.0.1 --username=postgres"))
    .withStartupTimeout(60_000)
    .start()
  return {
    url: `postgres://postgres:${password}@${container.getHost()}:${container.getMappedPort(5432)}/postgres`,
    stop: async () => void (await container.stop())
  }
}
