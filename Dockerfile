# The service as an image: see "In a container" in README.md. test/process/container.test.ts performs these steps.
# The same Node.js as in package.json. It is an image of Debian with little else.
FROM node:24.21.0-trixie-slim

ENV NODE_ENV=production
WORKDIR /app

# The optional packages are Node.js itself, which is already here. SQLite is prebuilt; what it was compiled from goes, and
# so does the cache of npm.
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --omit=optional --cache=.npm \
    && rm -r .npm node_modules/better-sqlite3/deps node_modules/better-sqlite3/src

# Beside the service, the scripts for operators, and what these import.
COPY src src
COPY scripts/token.ts scripts/copy.ts scripts/check-database.ts scripts/
COPY scripts/lib/command-line.ts scripts/lib/
RUN mkdir -m 700 /data node_modules/.cache && chown 1000:1000 /data node_modules/.cache

# The user "node" of the image. As a number, because Kubernetes looks at it to tell that this is not root.
USER 1000:1000
# Node.js keeps what it compiled, for each user; where nothing can be written, that has to be done before.
RUN NODE_COMPILE_CACHE=node_modules/.cache/compile node -e "import('./src/app.ts')"

ENV HOST=0.0.0.0 PORT=3000 DATABASE_URL=file:/data/service.db
VOLUME /data
EXPOSE 3000

# Healthy is who serves requests: whoever waits for this container, or sends it requests, wants to know that. It need not
# tell whether the process hangs, because that one ends itself then.
HEALTHCHECK --interval=15s --timeout=5s --start-period=30s --start-interval=1s \
    CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.PORT + '/health/ready').then(({ ok }) => process.exit(ok ? 0 : 1))"]

# Without a shell or npm between, so that signals reach the server.
CMD ["node", "src/server.ts"]
