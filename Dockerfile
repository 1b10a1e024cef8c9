# muster in an image: built on Debian 12, run on Debian 12 without a shell's worth of extras.
#
#   docker build -t muster:0.1.0 .
#   docker run --rm --read-only muster:0.1.0 version
#
# The build context is the checkout; .dockerignore leaves out what is built in it. With .git in the
# context `muster version` names the commit.

FROM debian:12 AS build
RUN apt-get update \
    && apt-get install -y --no-install-recommends git ca-certificates \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /src
# The packages first: they change less often than the sources.
COPY tools/deps tools/deps
RUN tools/deps --install build
COPY . .
RUN git config --global --add safe.directory /src \
    && cmake --preset release -B /build \
    && cmake --build /build --parallel --target muster \
    && DESTDIR=/out cmake --install /build --prefix /usr --strip \
    && rm -rf /out/usr/share

FROM debian:12-slim
RUN apt-get update \
    && apt-get install -y --no-install-recommends \
        ca-certificates libcurl4 libevent-2.1-7 libevent-openssl-2.1-7 libssl3 libyaml-0-2 \
    && rm -rf /var/lib/apt/lists/* /var/log/* /var/cache/debconf/*
COPY --from=build /out/ /
# A library that is missing should stop the build, not the first start.
RUN ["muster", "version"]
USER 65532:65532
EXPOSE 10259
ENTRYPOINT ["muster"]
CMD ["scheduler"]
