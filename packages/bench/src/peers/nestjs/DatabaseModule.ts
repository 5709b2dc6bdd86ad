import { type DynamicModule, Module, type OnApplicationShutdown } from "@nestjs/common"
import { drizzle, type NodePgDatabase } from "drizzle-orm/node-postgres"
import { Pool } from "pg"
import { poolSize } from "../../data/DatabaseUrl.ts"

export type Database = NodePgDatabase

/** The token of the database in the container. */
export const DATABASE = Symbol("DATABASE")

const makePool = (url: string): Pool => {
  const pool = new Pool({ connectionString: url, max: poolSize })
  // A connection that breaks while idle is replaced when needed.
  pool.on("error", () => undefined)
  return pool
}

/** Provides Drizzle over a connection pool. */
@Module({})
export class DatabaseModule implements OnApplicationShutdown {
  readonly #pool: Pool

  constructor(pool: Pool) {
    this.#pool = pool
  }

  static forRoot(url: string): DynamicModule {
    return {
      module: DatabaseModule,
      global: true,
      providers: [
        { provide: Pool, useFactory: () => makePool(url) },
        { provide: DATABASE, inject: [Pool], useFactory: (pool: Pool): Database => drizzle({ client: pool }) }
      ],
      exports: [DATABASE]
    }
  }

  onApplicationShutdown(): Promise<void> {
    return this.#pool.end()
  }
}
