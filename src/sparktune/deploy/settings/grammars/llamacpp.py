"""llama.cpp's command line: ``llama-server ...``, with its twins in the environment.

Source: llama.cpp b11434, ``common/arg.cpp``: names, spellings that say no, twins, and how they are read (``--a_b`` is
``--a-b``, no ``--a=b``, the word after an option that wants one is its value whatever it looks like, the last of
several counts, and the command line wins over a variable). ``_GONE`` are options of earlier builds: ``--no-mmap`` is
``--load-mode none`` today.
"""

__all__ = ["GRAMMAR"]

from sparktune.deploy.settings.grammars._shared import options_of
from sparktune.model.setting import Grammar

_OPTIONS = """
text cpu_mask -C cpu_range -Cr cpu_mask_batch -Cb cpu_range_batch -Crb lookup_cache_static -lcs
text lookup_cache_dynamic -lcd prompt -p file -f binary_file -bf reverse_prompt -r samplers sampler_seq --sampling-seq
text dry_sequence_breaker logit_bias -l grammar grammar_file json_schema_file -jf pooling LLAMA_ARG_POOLING
text rope_scaling LLAMA_ARG_ROPE_SCALING_TYPE cache_type_k -ctk LLAMA_ARG_CACHE_TYPE_K
text cache_type_v -ctv LLAMA_ARG_CACHE_TYPE_V defrag_thold -dt LLAMA_ARG_DEFRAG_THOLD mmproj -mm LLAMA_ARG_MMPROJ
text mmproj_url -mmu LLAMA_ARG_MMPROJ_URL video_ffmpeg_dir LLAMA_ARG_VIDEO_FFMPEG_DIR rpc LLAMA_ARG_RPC
text load_mode -lm LLAMA_ARG_LOAD_MODE lazy_mode -lzm LLAMA_ARG_LAZY_MODE numa LLAMA_ARG_NUMA
text device -dev LLAMA_ARG_DEVICE override_tensor -ot LLAMA_ARG_OVERRIDE_TENSOR split_mode -sm LLAMA_ARG_SPLIT_MODE
text tensor_split -ts LLAMA_ARG_TENSOR_SPLIT fit -fit LLAMA_ARG_FIT fit_target -fitt LLAMA_ARG_FIT_TARGET override_kv
text lora lora_scaled control_vector control_vector_scaled alias -a LLAMA_ARG_ALIAS tags LLAMA_ARG_TAGS
text model -m LLAMA_ARG_MODEL model_url -mu LLAMA_ARG_MODEL_URL docker_repo -dr LLAMA_ARG_DOCKER_REPO
text hf_repo -hf -hfr LLAMA_ARG_HF_REPO hf_file -hff LLAMA_ARG_HF_FILE hf_token -hft HF_TOKEN host LLAMA_ARG_HOST
text path LLAMA_ARG_STATIC_PATH cors_origins LLAMA_ARG_CORS_ORIGINS cors_methods LLAMA_ARG_CORS_METHODS
text cors_headers LLAMA_ARG_CORS_HEADERS api_prefix LLAMA_ARG_API_PREFIX
text ui_config_file --webui-config-file LLAMA_ARG_UI_CONFIG_FILE tools LLAMA_ARG_TOOLS
text tools_runtime LLAMA_ARG_TOOLS_RUNTIME mcp_servers_config LLAMA_ARG_MCP_SERVERS_CONFIG api_key LLAMA_API_KEY
text api_key_file LLAMA_ARG_API_KEY_FILE ssl_key_file LLAMA_ARG_SSL_KEY_FILE ssl_cert_file LLAMA_ARG_SSL_CERT_FILE
text slot_save_path media_path models_dir LLAMA_ARG_MODELS_DIR models_preset LLAMA_ARG_MODELS_PRESET
text reasoning_format LLAMA_ARG_THINK reasoning -rea LLAMA_ARG_REASONING reasoning_effort LLAMA_ARG_REASONING_EFFORT
text reasoning_budget_message LLAMA_ARG_THINK_BUDGET_MESSAGE chat_template LLAMA_ARG_CHAT_TEMPLATE
text chat_template_file LLAMA_ARG_CHAT_TEMPLATE_FILE log_file LLAMA_ARG_LOG_FILE log_prompts_dir
text log_colors LLAMA_ARG_LOG_COLORS spec_draft_hf -hfd -hfrd --hf-repo-draft LLAMA_ARG_SPEC_DRAFT_HF_REPO
text spec_draft_cpu_mask -Cd --cpu-mask-draft spec_draft_cpu_range -Crd --cpu-range-draft
text spec_draft_cpu_mask_batch -Cbd --cpu-mask-batch-draft
text spec_draft_type_k -ctkd --cache-type-k-draft LLAMA_ARG_SPEC_DRAFT_CACHE_TYPE_K
text spec_draft_type_v -ctvd --cache-type-v-draft LLAMA_ARG_SPEC_DRAFT_CACHE_TYPE_V
text spec_draft_override_tensor -otd --override-tensor-draft spec_synth_rates LLAMA_ARG_SPEC_SYNTH_RATES
text spec_draft_sampling LLAMA_ARG_SPEC_DRAFT_SAMPLING spec_draft_device -devd --device-draft
text spec_draft_model -md --model-draft LLAMA_ARG_SPEC_DRAFT_MODEL spec_type LLAMA_ARG_SPEC_TYPE
text mmproj_device -mmdev MTMD_BACKEND_DEVICE
optional flash_attn -fa LLAMA_ARG_FLASH_ATTN
int threads -t LLAMA_ARG_THREADS threads_batch -tb cpu_strict prio poll cpu_strict_batch prio_batch poll_batch
int ctx_size -c LLAMA_ARG_CTX_SIZE kv_unified_per_slot LLAMA_ARG_KV_UNIFIED_PER_SLOT
int n_predict -n --predict LLAMA_ARG_N_PREDICT batch_size -b LLAMA_ARG_BATCH ubatch_size -ub LLAMA_ARG_UBATCH keep
int ctx_checkpoints -ctxcp --swa-checkpoints LLAMA_ARG_CTX_CHECKPOINTS
int checkpoint_min_step -cms LLAMA_ARG_CHECKPOINT_MIN_SPACING_NT cache_ram -cram LLAMA_ARG_CACHE_RAM seed -s
int top_k LLAMA_ARG_TOP_K repeat_last_n dry_allowed_length dry_penalty_last_n mirostat
int yarn_orig_ctx LLAMA_ARG_YARN_ORIG_CTX parallel -np LLAMA_ARG_N_PARALLEL
int image_min_tokens LLAMA_ARG_IMAGE_MIN_TOKENS image_max_tokens LLAMA_ARG_IMAGE_MAX_TOKENS
int mtmd_batch_max_tokens LLAMA_ARG_MTMD_BATCH_MAX_TOKENS video_timestamp_interval LLAMA_ARG_VIDEO_TIMESTAMP_INTERVAL
int n_cpu_moe -ncmoe LLAMA_ARG_N_CPU_MOE n_cpu_ffn -ncffn LLAMA_ARG_N_CPU_FFN
int n_gpu_layers -ngl --gpu-layers LLAMA_ARG_N_GPU_LAYERS main_gpu -mg LLAMA_ARG_MAIN_GPU
int fit_ctx -fitc LLAMA_ARG_FIT_CTX embd_normalize port LLAMA_ARG_PORT timeout -to LLAMA_ARG_TIMEOUT
int sse_ping_interval LLAMA_ARG_SSE_PING_INTERVAL threads_http LLAMA_ARG_THREADS_HTTP
int cache_reuse LLAMA_ARG_CACHE_REUSE models_max LLAMA_ARG_MODELS_MAX reasoning_budget LLAMA_ARG_THINK_BUDGET
int sleep_idle_seconds verbosity -lv --log-verbosity LLAMA_ARG_LOG_VERBOSITY spec_draft_threads -td --threads-draft
int spec_draft_threads_batch -tbd --threads-batch-draft spec_draft_cpu_strict --cpu-strict-draft
int spec_draft_prio --prio-draft spec_draft_poll --poll-draft spec_draft_cpu_strict_batch --cpu-strict-batch-draft
int spec_draft_prio_batch --prio-batch-draft spec_draft_poll_batch --poll-batch-draft
int spec_draft_n_cpu_moe --spec-draft-ncmoe -ncmoed --n-cpu-moe-draft LLAMA_ARG_SPEC_DRAFT_N_CPU_MOE
int spec_draft_n_max LLAMA_ARG_SPEC_DRAFT_N_MAX spec_draft_n_min LLAMA_ARG_SPEC_DRAFT_N_MIN
int spec_draft_ngl -ngld --gpu-layers-draft --n-gpu-layers-draft LLAMA_ARG_N_GPU_LAYERS_DRAFT spec_ngram_mod_n_min
int spec_ngram_mod_n_max spec_ngram_mod_n_match spec_ngram_simple_size_n spec_ngram_simple_size_m
int spec_ngram_simple_min_hits spec_ngram_map_k_size_n spec_ngram_map_k_size_m spec_ngram_map_k_min_hits
int spec_ngram_map_k4v_size_n spec_ngram_map_k4v_size_m spec_ngram_map_k4v_min_hits
int draft --draft-n --draft-max LLAMA_ARG_DRAFT_MAX draft_min --draft-n-min LLAMA_ARG_DRAFT_MIN spec_ngram_size_n
int spec_ngram_size_m spec_ngram_min_hits
float temp --temperature LLAMA_ARG_TEMPERATURE top_p LLAMA_ARG_TOP_P min_p LLAMA_ARG_MIN_P top_nsigma --top-n-sigma
float xtc_probability xtc_threshold typical --typical-p repeat_penalty LLAMA_ARG_REPEAT_PENALTY
float presence_penalty LLAMA_ARG_PRESENCE_PENALTY frequency_penalty LLAMA_ARG_FREQUENCY_PENALTY dry_multiplier
float dry_base adaptive_target adaptive_decay dynatemp_range dynatemp_exp mirostat_lr mirostat_ent
float rope_scale LLAMA_ARG_ROPE_SCALE rope_freq_base LLAMA_ARG_ROPE_FREQ_BASE
float rope_freq_scale LLAMA_ARG_ROPE_FREQ_SCALE yarn_ext_factor LLAMA_ARG_YARN_EXT_FACTOR
float yarn_attn_factor LLAMA_ARG_YARN_ATTN_FACTOR yarn_beta_slow LLAMA_ARG_YARN_BETA_SLOW
float yarn_beta_fast LLAMA_ARG_YARN_BETA_FAST video_fps LLAMA_ARG_VIDEO_FPS slot_prompt_similarity -sps
float spec_synth_len LLAMA_ARG_SPEC_SYNTH_LEN spec_draft_p_split --draft-p-split LLAMA_ARG_SPEC_DRAFT_P_SPLIT
float spec_draft_p_min --draft-p-min LLAMA_ARG_SPEC_DRAFT_P_MIN
switch version cache_list -cl swa_full LLAMA_ARG_SWA_FULL special -sp spm_infill ignore_eos
switch backend_sampling -bs LLAMA_ARG_BACKEND_SAMPLING no_host LLAMA_ARG_NO_HOST list_devices
switch cpu_moe -cmoe LLAMA_ARG_CPU_MOE check_tensors reuse_port LLAMA_ARG_REUSE_PORT
switch embedding --embeddings LLAMA_ARG_EMBEDDINGS rerank --reranking LLAMA_ARG_RERANKING
switch metrics LLAMA_ARG_ENDPOINT_METRICS props LLAMA_ARG_ENDPOINT_PROPS lora_init_without_apply log_disable
switch verbose -v --log-verbose offline LLAMA_ARG_OFFLINE
switch spec_draft_cpu_moe -cmoed --cpu-moe-draft LLAMA_ARG_SPEC_DRAFT_CPU_MOE spec_default
tristate kv_unified -kvu !-no-kvu LLAMA_ARG_KV_UNIFIED cache_idle_slots LLAMA_ARG_CACHE_IDLE_SLOTS
tristate context_shift LLAMA_ARG_CONTEXT_SHIFT perf LLAMA_ARG_PERF escape -e warmup
tristate kv_offload -kvo !-nkvo LLAMA_ARG_KV_OFFLOAD repack !-nr LLAMA_ARG_REPACK
tristate cont_batching -cb !-nocb LLAMA_ARG_CONT_BATCHING mmproj_auto !--no-mmproj LLAMA_ARG_MMPROJ_AUTO
tristate mmproj_offload LLAMA_ARG_MMPROJ_OFFLOAD op_offload cors_credentials LLAMA_ARG_CORS_CREDENTIALS
tristate ui_mcp_proxy --webui-mcp-proxy !--no-webui-mcp-proxy LLAMA_ARG_UI_MCP_PROXY agent -ag !-no-ag LLAMA_ARG_AGENT
tristate ui --webui !--no-webui LLAMA_ARG_UI cache_prompt LLAMA_ARG_CACHE_PROMPT slots LLAMA_ARG_ENDPOINT_SLOTS
tristate models_autoload LLAMA_ARG_MODELS_AUTOLOAD jinja LLAMA_ARG_JINJA
tristate reasoning_preserve LLAMA_ARG_REASONING_PRESERVE skip_chat_parsing LLAMA_ARG_SKIP_CHAT_PARSING
tristate prefill_assistant LLAMA_ARG_PREFILL_ASSISTANT log_jsonl LLAMA_ARG_LOG_JSONL log_prefix LLAMA_ARG_LOG_PREFIX
tristate log_timestamps LLAMA_ARG_LOG_TIMESTAMPS spec_draft_backend_sampling LLAMA_ARG_SPEC_DRAFT_BACKEND_SAMPLING
json json_schema -j ui_config --webui-config LLAMA_ARG_UI_CONFIG mcp_servers_json LLAMA_ARG_MCP_SERVERS_JSON
json chat_template_kwargs LLAMA_ARG_CHAT_TEMPLATE_KWARGS
"""

_GONE = """
int grp_attn_n -gan LLAMA_ARG_GRP_ATTN_N grp_attn_w -gaw LLAMA_ARG_GRP_ATTN_W
switch mlock LLAMA_ARG_MLOCK
tristate mmap LLAMA_ARG_MMAP direct_io -dio !-ndio LLAMA_ARG_DIO
"""

_ON_OFF = {
    **dict.fromkeys(("on", "enabled", "true", "1"), "on"),
    **dict.fromkeys(("off", "disabled", "false", "0"), "off"),
    **dict.fromkeys(("auto", "-1"), "auto"),
}

GRAMMAR = Grammar(
    engine="llamacpp",
    version="llama.cpp b11434",
    commands=(("llama-server",),),
    options=options_of(
        _OPTIONS + _GONE,
        words={
            "flash_attn": {"": "on", **_ON_OFF},
            "fit": _ON_OFF,
            "log_colors": _ON_OFF,
            "reasoning": _ON_OFF,
            "n_gpu_layers": {"-1": "auto", "-2": "all"},
        },
    ),
    equals=False,
)
