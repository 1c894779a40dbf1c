# docker build -t threadproof . && docker run --rm -v "$PWD:/src" threadproof verify prog.c
FROM rust:1.95-slim-trixie AS build
WORKDIR /build
COPY . .
RUN cargo build --release --locked --bin threadproof

# The C compiler is the preprocessor, and what `threadproof replay` compiles with.
FROM debian:trixie-slim
RUN apt-get update \
    && apt-get install --yes --no-install-recommends gcc libc6-dev binutils \
    && rm -rf /var/lib/apt/lists/*
COPY --from=build /build/target/release/threadproof /usr/local/bin/
COPY LICENSE-APACHE LICENSE-MIT /usr/local/share/doc/threadproof/
WORKDIR /src
USER 1000
ENTRYPOINT ["threadproof"]
CMD ["--help"]
