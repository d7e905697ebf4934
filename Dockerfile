# Both services, the page, the worker and the command line in one image.
FROM docker.io/library/node:24-slim AS build
WORKDIR /source
COPY package.json package-lock.json .npmrc ./
# The image has its own Node, so no install script has to run.
RUN npm ci --ignore-scripts
COPY . .
# Named by --version between releases.
ARG REHEARSAL_COMMIT
RUN node node_modules/vite/bin/vite.js build web --logLevel warn && node scripts/bundle.mjs && node scripts/build-package.mjs \
  && node scripts/published-manifest.mjs --put && npm pack --ignore-scripts && mkdir /package && tar -xzf rehearsal-*.tgz -C /package --strip-components 1

FROM docker.io/library/node:24-slim
ENV NODE_ENV=production \
    REHEARSAL_HOST=0.0.0.0 \
    REHEARSAL_DATA_DIR=/data
WORKDIR /app
# The package contains everything that runs.
COPY --from=build /package ./
RUN mkdir /data && chown node:node /data && ln -s /app/dist/cli/main.js /usr/local/bin/rehearsal && chmod +x dist/cli/main.js
USER node
VOLUME /data
EXPOSE 8000 8001
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:8000/readyz').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["rehearsal"]
CMD ["serve"]
